public import SenseProtocol

/// Who a session is, once its token or pairing code was accepted.
public struct Identity: Sendable, Equatable {
    /// The paired device.
    public var deviceID: String
    /// The person whose alerts these are.
    public var profileID: String
    /// What the device may do.
    public var role: Role
    /// Set only after pairing: shown once to the client.
    public var issuedToken: String?
    /// Durable events this device has acknowledged up to.
    public var acknowledgedEventID: UInt64
    /// The newest durable event of the profile.
    public var latestEventID: UInt64
    /// The oldest durable event still kept; 0 = none was ever dropped.
    public var oldestEventID: UInt64

    /// What the store knows about a device.
    public init(
        deviceID: String, profileID: String, role: Role, issuedToken: String? = nil,
        acknowledgedEventID: UInt64 = 0, latestEventID: UInt64 = 0, oldestEventID: UInt64 = 0
    ) {
        self.deviceID = deviceID
        self.profileID = profileID
        self.role = role
        self.issuedToken = issuedToken
        self.acknowledgedEventID = acknowledgedEventID
        self.latestEventID = latestEventID
        self.oldestEventID = oldestEventID
    }
}
