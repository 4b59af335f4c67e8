public import HarmoniAI
public import SenseProtocol

/// A connection of this process; never reused while the process lives.
public struct SessionID: Sendable, Hashable, Comparable {
    /// The counter behind it.
    public var rawValue: UInt64

    /// Wraps a counter.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// Older sessions sort first.
    public static func < (a: SessionID, b: SessionID) -> Bool { a.rawValue < b.rawValue }
}

/// What a session tells the shared state of its person.
public enum ProfileInput: Sendable {
    /// The session was welcomed.
    case attached(SessionPresence)
    /// The connection is gone; `isPlanned` after a Goodbye.
    case detached(isPlanned: Bool)
    /// A sound began, changed or ended.
    case sound(SoundObservation)
    /// All that is wrong with a stream that should be heard, worst first; empty = it is heard well.
    case health(streamID: UInt32, [HearingFault])
    /// A microphone stream opened (`true`) or was finished on purpose (`false`).
    case listening(streamID: UInt32, Bool)
    /// Durable events up to this one were received.
    case eventAck(UInt64)
    /// Someone received, saw, acknowledged or resolved an alert.
    case receipt(AlertReceipt, seq: UInt64)
    /// A person's word on an alert.
    case feedback(AlertFeedback, seq: UInt64)
    /// A wish to start or cancel the drill of a room.
    case drill(Drill, seq: UInt64)
    /// A music stream opened on the device.
    case musicOpened(streamID: UInt32, format: MusicFormat)
    /// A music stream was finished.
    case musicClosed(streamID: UInt32)
    /// A song was decoded.
    case song(streamID: UInt32, songID: String, StemData)
    /// Play, pause, seek or stop.
    case playback(PlaybackControl, seq: UInt64)
    /// Battery and wear.
    case heartbeat(Heartbeat)
    /// A dashboard asks for the present state.
    case subscribe(Subscribe)
    /// A hazard ahead of a walker.
    case hazard(streamID: UInt32, label: String, message: String, HapticPattern)
}

/// A welcomed session as its person's state sees it.
public struct SessionPresence: Sendable, Equatable {
    /// The device.
    public var deviceID: String
    /// Its name for people.
    public var deviceName: String
    /// Where it stands.
    public var room: String
    /// Its role.
    public var role: Role
    /// Whether it wants durable events.
    public var watchesAlerts: Bool
    /// The last durable event it has; later ones are replayed.
    public var lastEventID: UInt64
    /// What it can show and play.
    public var capabilities: Capabilities
    /// A short errand beside the device's own connection.
    public var isBeside: Bool

    /// A welcomed session.
    public init(
        deviceID: String, deviceName: String, room: String, role: Role, watchesAlerts: Bool,
        lastEventID: UInt64, capabilities: Capabilities, isBeside: Bool = false
    ) {
        self.deviceID = deviceID
        self.deviceName = deviceName
        self.room = room
        self.role = role
        self.watchesAlerts = watchesAlerts
        self.lastEventID = lastEventID
        self.capabilities = capabilities
        self.isBeside = isBeside
    }
}

/// One step of one sound episode on one stream.
public struct SoundObservation: Sendable, Equatable {
    /// Where the episode stands.
    public enum Step: Sendable, Equatable {
        /// Possible; a hint.
        case suspected
        /// Certain enough to be an alert.
        case confirmed
        /// Goes on.
        case continues
        /// Over.
        case ended
    }

    /// Stream of the observing session.
    public var streamID: UInt32
    /// Counts episodes of the stream; one alert each.
    public var episode: UInt64
    /// Model label, or `smoke_alarm`, `co_alarm`, `low_battery_chirp`.
    public var label: String
    /// The step.
    public var step: Step
    /// 0…1.
    public var confidence: Float
    /// Start of the sound in server time.
    public var onsetServerUs: UInt64
    /// Start of the sound in the stream's own samples.
    public var onsetSampleIndex: UInt64
    /// How urgent.
    public var urgency: Urgency
    /// What is felt.
    public var haptic: HapticPattern

    /// One step.
    public init(
        streamID: UInt32, episode: UInt64, label: String, step: Step, confidence: Float,
        onsetServerUs: UInt64,
        onsetSampleIndex: UInt64, urgency: Urgency, haptic: HapticPattern
    ) {
        self.streamID = streamID
        self.episode = episode
        self.label = label
        self.step = step
        self.confidence = confidence
        self.onsetServerUs = onsetServerUs
        self.onsetSampleIndex = onsetSampleIndex
        self.urgency = urgency
        self.haptic = haptic
    }
}
