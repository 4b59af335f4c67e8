/// Why a connection ends (RFC 6455 section 7.4 and the IANA registry). Open set: 3000-4999 belong to
/// libraries and applications.
public struct CloseCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt16

    /// Any number; see `mayAppearOnWire`.
    @inlinable public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The purpose of the connection is fulfilled.
    public static let normal = CloseCode(rawValue: 1000)
    /// The endpoint goes away: server shutdown, page left.
    public static let goingAway = CloseCode(rawValue: 1001)
    /// The peer broke RFC 6455.
    public static let protocolError = CloseCode(rawValue: 1002)
    /// A kind of data the endpoint does not take (text where only binary is spoken).
    public static let unsupportedData = CloseCode(rawValue: 1003)
    /// Never on the wire: a close frame without a code was received.
    public static let noStatus = CloseCode(rawValue: 1005)
    /// Never on the wire: the transport ended without a close frame.
    public static let abnormal = CloseCode(rawValue: 1006)
    /// Text that is not UTF-8, or compressed data that does not inflate.
    public static let invalidData = CloseCode(rawValue: 1007)
    /// A rule of the endpoint was broken.
    public static let policyViolation = CloseCode(rawValue: 1008)
    /// A message above the limit.
    public static let messageTooBig = CloseCode(rawValue: 1009)
    /// The client misses an extension it needs.
    public static let missingExtension = CloseCode(rawValue: 1010)
    /// The endpoint met a fault of its own.
    public static let internalError = CloseCode(rawValue: 1011)
    /// The service restarts; come back after a random 5-30 s.
    public static let serviceRestart = CloseCode(rawValue: 1012)
    /// Overloaded; try again later.
    public static let tryAgainLater = CloseCode(rawValue: 1013)
    /// A gateway got a bad answer from its upstream.
    public static let badGateway = CloseCode(rawValue: 1014)
    /// Never on the wire: the TLS handshake failed.
    public static let tlsHandshake = CloseCode(rawValue: 1015)

    /// Whether a close frame may carry this code: 1000-1014 without 1004-1006, and 3000-4999.
    public var mayAppearOnWire: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// The number.
    public var description: String { "\(rawValue)" }
}
