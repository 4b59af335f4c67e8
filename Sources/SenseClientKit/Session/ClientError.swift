public import SenseProtocol

/// Why a client cannot go on, or could not begin.
public enum ClientError: Error, Equatable, Sendable {
    /// `text` is no server address; `expected` says what one looks like.
    case badAddress(text: String, expected: String)
    /// The name has no address.
    case cannotResolve(host: String, reason: String)
    /// Nobody answers there.
    case cannotConnect(address: String, reason: String)
    /// The server shows another certificate than the one remembered; SHA-256 in lower-case hex.
    case certificateChanged(expected: String, got: String)
    /// The certificate is not known yet and was not accepted.
    case certificateUnknown(got: String)
    /// The TLS handshake failed for another reason.
    case insecure(reason: String)
    /// What answers is no Sense server of this version.
    case notSense(reason: String)
    /// The server said why and closes the connection.
    case refused(ErrorMessage)
    /// The server closed the connection without an error message.
    case closed(code: UInt16, reason: String)
    /// The connection broke.
    case lost(reason: String)
    /// The server was silent for too long.
    case heartbeatLost
    /// The server sent what is no message of the protocol.
    case malformed(WireError)
    /// Nothing came in time.
    case timedOut(waitingFor: String)
    /// The server has not given enough credit for this media; wait for `ClientEvent.creditGrown`.
    case noCredit(needed: UInt64, left: UInt64)
    /// The session is not open (yet or any more).
    case notConnected

    /// Whether a reconnect may help (PRODUCT 5.3 rule 3): not where the server would refuse again, nor where a
    /// person must decide.
    public var mayRetry: Bool {
        switch self {
        case .refused(let error): Self.mayRetry(closeCode: error.code.closeCode)
        case .closed(let code, _): Self.mayRetry(closeCode: code)
        case .badAddress, .certificateChanged, .certificateUnknown, .notSense, .malformed, .noCredit: false
        case .cannotResolve, .cannotConnect, .insecure, .lost, .heartbeatLost, .timedOut, .notConnected: true
        }
    }

    /// Whether a close code allows a reconnect: 4400, 4401, 4403, 4406 and 4409 do not.
    public static func mayRetry(closeCode: UInt16) -> Bool {
        switch closeCode {
        case 4400, 4401, 4403, 4406, 4409: false
        default: true
        }
    }
}

extension ClientError: CustomStringConvertible {
    /// One sentence for a person, with what to do where that is known.
    public var description: String {
        switch self {
        case .badAddress(let text, let expected): "\(text) is no server address; expected \(expected)"
        case .cannotResolve(let host, let reason): "cannot find \(host): \(reason)"
        case .cannotConnect(let address, let reason):
            "cannot connect to \(address): \(reason). Is the server running, and the port right?"
        case .certificateChanged(let expected, let got):
            "the server's certificate is not the one remembered (expected \(expected), got \(got))"
        case .certificateUnknown(let got): "the server's certificate is not known yet (SHA-256 \(got))"
        case .insecure(let reason): "no secure connection: \(reason)"
        case .notSense(let reason): "this is not a Sense server of this version: \(reason)"
        case .refused(let error): Self.sentence(error)
        case .closed(let code, let reason):
            "the server closed the connection (\(code)\(reason.isEmpty ? "" : ", \(reason)"))"
        case .lost(let reason): "the connection was lost: \(reason)"
        case .heartbeatLost: "the server has been silent for too long"
        case .malformed(let error): "the server sent what is no message of sense.v1: \(error)"
        case .timedOut(let what): "nothing came in time while waiting for \(what)"
        case .noCredit(let needed, let left): "\(needed) media bytes are too many now, \(left) may be sent"
        case .notConnected: "the session is not open"
        }
    }

    private static func sentence(_ error: ErrorMessage) -> String {
        let field = error.field.isEmpty ? "" : " [\(error.field)]"
        let dev = error.devMessage.isEmpty ? "" : " (\(error.devMessage))"
        let user = error.userMessage.isEmpty ? "the server refused" : error.userMessage
        return "\(user)\(field)\(dev)"
    }
}
