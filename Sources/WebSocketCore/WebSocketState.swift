/// Where the closing handshake of a connection stands (RFC 6455 section 7).
public enum WebSocketState: Equatable, Sendable {
    /// How a connection ended.
    public enum Outcome: Equatable, Sendable {
        /// Both close frames were exchanged; this is the peer's.
        case clean(CloseFrame)
        /// The peer broke a rule.
        case failed(WebSocketError)
        /// The transport ended without a close frame of the peer.
        case lost
    }

    /// Messages flow both ways.
    case open
    /// We sent this close frame and wait for the peer's.
    case closing(CloseFrame)
    /// Nothing is sent or read any more.
    case closed(Outcome)

    /// The code an application reports: the peer's, ours for a failure, 1005 or 1006 where there was none; nil
    /// while open.
    public var closeCode: CloseCode? {
        switch self {
        case .open, .closing: nil
        case .closed(.clean(let frame)): frame.code ?? .noStatus
        case .closed(.failed(let error)): error.closeCode
        case .closed(.lost): .abnormal
        }
    }
}
