/// Which end of the connection this is. It decides who masks (RFC 6455 section 5.1) and who ends the
/// transport first (section 7.1.1).
public enum WebSocketRole: Sendable {
    /// Takes masked frames only, sends unmasked ones.
    case server
    /// Takes unmasked frames only, masks what it sends. `maskKeys` gives a fresh unpredictable key per frame
    /// (RFC 6455 section 10.3): its owner draws it from the system's random source; a test from a seed.
    case client(maskKeys: @Sendable () -> UInt32)

    /// Whether frames of the peer must be masked.
    public var expectsMask: Bool {
        switch self {
        case .server: true
        case .client: false
        }
    }
}
