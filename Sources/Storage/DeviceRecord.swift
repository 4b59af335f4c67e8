/// A paired device. The token itself is never stored, only its SHA-256, which the store does not give out.
public struct DeviceRecord: Sendable, Equatable {
    /// Chosen by the caller at pairing.
    public var deviceID: String
    /// Whose device it is.
    public var profileID: String
    /// As the person named it.
    public var name: String
    /// Where it stands, or empty.
    public var room: String
    /// `Role` of the protocol.
    public var role: Int32
    /// Unix microseconds.
    public var createdUs: Int64
    /// Unix microseconds of the last contact that was stored.
    public var lastSeenUs: Int64
    /// When its token stopped to work; nil while it works.
    public var revokedUs: Int64?
    /// Cumulative: all events up to this one arrived.
    public var ackedEventID: Int64

    /// All fields.
    public init(
        deviceID: String, profileID: String, name: String, room: String, role: Int32, createdUs: Int64,
        lastSeenUs: Int64, revokedUs: Int64? = nil, ackedEventID: Int64 = 0
    ) {
        self.deviceID = deviceID
        self.profileID = profileID
        self.name = name
        self.room = room
        self.role = role
        self.createdUs = createdUs
        self.lastSeenUs = lastSeenUs
        self.revokedUs = revokedUs
        self.ackedEventID = ackedEventID
    }
}

/// Why a pairing code was made. Raw values are stored.
public enum PairingCodePurpose: Int32, Sendable {
    /// A device asked for it; several may wait.
    case device = 0
    /// The server shows it at start; a new one replaces an unused one.
    case start = 1
}

/// A code that pairs one device, once.
public struct NewPairingCode: Sendable, Equatable {
    /// SHA-256 of the code.
    public var codeHash: [UInt8]
    /// The profile the device will belong to.
    public var profileID: String
    /// `Role` the device will have.
    public var role: Int32
    /// Unix microseconds.
    public var createdUs: Int64
    /// From this moment on the code is refused.
    public var expiresUs: Int64
    /// Why it was made.
    public var purpose: PairingCodePurpose

    /// All fields.
    public init(
        codeHash: [UInt8], profileID: String, role: Int32, createdUs: Int64, expiresUs: Int64,
        purpose: PairingCodePurpose = .device
    ) {
        self.codeHash = codeHash
        self.profileID = profileID
        self.role = role
        self.createdUs = createdUs
        self.expiresUs = expiresUs
        self.purpose = purpose
    }
}

/// A device that shows a pairing code.
public struct PairingRedemption: Sendable, Equatable {
    /// SHA-256 of the code shown.
    public var codeHash: [UInt8]
    /// Id of the new device.
    public var deviceID: String
    /// Name of the new device.
    public var name: String
    /// Its room, or empty.
    public var room: String
    /// SHA-256 of the token it gets.
    public var tokenHash: [UInt8]
    /// Unix microseconds.
    public var nowUs: Int64

    /// All fields.
    public init(
        codeHash: [UInt8], deviceID: String, name: String, room: String, tokenHash: [UInt8], nowUs: Int64
    ) {
        self.codeHash = codeHash
        self.deviceID = deviceID
        self.name = name
        self.room = room
        self.tokenHash = tokenHash
        self.nowUs = nowUs
    }
}
