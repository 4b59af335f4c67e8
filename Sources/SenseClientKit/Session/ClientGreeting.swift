public import SenseProtocol

/// What a client says about itself in Hello.
public struct ClientGreeting: Sendable, Equatable {
    /// Token or pairing code; nil where the transport carries the token.
    public var credential: Hello.Credential?
    /// What kind of thing it is; decides the frame limit.
    public var deviceClass: DeviceClass
    /// Name shown to people, at most 64 bytes.
    public var deviceName: String
    /// Version of the app, at most 64 bytes.
    public var appVersion: String
    /// Where the device stands; empty if it moves.
    public var room: String
    /// What it can show and do.
    public var capabilities: Capabilities
    /// Whether the profile's alerts are pushed to it.
    public var watchesAlerts: Bool
    /// Whether each alert is confirmed as received by itself.
    public var sendsReceipts: Bool
    /// Wished heartbeat, 5…300 s; 0 = the server's default.
    public var heartbeatSeconds: UInt32
    /// A short errand beside the device's own connection, which goes on.
    public var isBeside: Bool

    /// A greeting; the defaults are those of a terminal that shows everything.
    public init(
        credential: Hello.Credential?, deviceClass: DeviceClass = .terminal, deviceName: String,
        appVersion: String, room: String = "",
        capabilities: Capabilities = Capabilities(screen: true, showsPartials: true),
        watchesAlerts: Bool = true, sendsReceipts: Bool = true, heartbeatSeconds: UInt32 = 0,
        isBeside: Bool = false
    ) {
        self.credential = credential
        self.deviceClass = deviceClass
        self.deviceName = deviceName
        self.appVersion = appVersion
        self.room = room
        self.capabilities = capabilities
        self.watchesAlerts = watchesAlerts
        self.sendsReceipts = sendsReceipts
        self.heartbeatSeconds = heartbeatSeconds
        self.isBeside = isBeside
    }

    func hello(resume: Resume?) -> Hello {
        Hello(
            deviceClass: deviceClass, appVersion: appVersion, deviceName: deviceName,
            capabilities: capabilities, credential: credential, resume: resume,
            heartbeatSeconds: heartbeatSeconds, room: room, watchAlerts: watchesAlerts,
            beside: isBeside)
    }
}

/// What a connection leaves to the next one, so that nothing is missed and nothing is told twice.
public struct ClientResumption: Sendable, Equatable {
    /// The session that was.
    public var sessionID: [UInt8]
    /// Events that were handled.
    public var inbox: AlertInbox

    /// What to resume. An empty session id resumes after `inbox.lastEventID` all the same.
    public init(sessionID: [UInt8] = [], inbox: AlertInbox = AlertInbox()) {
        self.sessionID = sessionID
        self.inbox = inbox
    }
}
