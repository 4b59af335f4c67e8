public import BridgeAI
public import SenseProtocol

/// What a session asks its owner to do. The owner performs actions in order.
public enum SessionAction: Sendable {
    /// Sends one envelope.
    case send(Envelope, DeliveryClass)
    /// Closes the connection after everything queued; the code equals that of the Error before it.
    case close(ErrorCode)
    /// Looks a token or code up; the answer is `Session.authenticated` or `Session.refused`.
    case authenticate(Hello.Credential, Hello)
    /// Scores one pose; the answer is `Session.letterScored`.
    case scoreLetters(LetterJob)
    /// Advances the sound network by one step; the answer is `Session.soundScored`.
    case scoreSound(SoundJob)
    /// Decodes stem data away from the loop; the answer is `Session.songDecoded`.
    case decodeSong(SongJob)
    /// Learns from calibration samples away from the loop; the answer is `Session.calibrationLearned`.
    case learnCalibration(CalibrationJob)
    /// Learns a person's own sound from its examples away from the loop; the answer is `Session.customSoundLearned`.
    case learnCustomSound(CustomSoundJob)
    /// Goes to the person's shared state.
    case profile(ProfileInput)
    /// Asks the store or the server; the answer is `Session.reply` or `Session.fail` with the same seq.
    case request(SessionRequest, seq: UInt64)
}

/// One pose to score, in canonical form.
public struct LetterJob: Sendable {
    /// Stream of the session.
    public var streamID: UInt32
    /// Which opening of that stream id; results of an older one are dropped.
    public var generation: UInt32
    /// Frame the result belongs to.
    public var frameIndex: UInt64
    /// Device's clock of the frame.
    public var monoUs: UInt64
    /// The pose in the model's canonical form.
    public var pose: HandVector

    /// A pose to score.
    public init(streamID: UInt32, generation: UInt32, frameIndex: UInt64, monoUs: UInt64, pose: HandVector) {
        self.streamID = streamID
        self.generation = generation
        self.frameIndex = frameIndex
        self.monoUs = monoUs
        self.pose = pose
    }
}

/// One step of a stream through the sound network: 7,056 samples at 22,050 Hz, and the state they meet.
public struct SoundJob: Sendable {
    /// Stream of the session.
    public var streamID: UInt32
    /// Which opening of that stream id.
    public var generation: UInt32
    /// The samples, `[7056]`, −1…1.
    public var samples: [Float]
    /// What the network keeps of the stream, as it came from the step before; empty: nothing but silence so far. It
    /// travels with the job, so that no two steps of a stream are ever in work.
    public var state: [Float]
    /// Model samples since the stream opened, at the end of the step.
    public var endSample: UInt64
    /// Server time when the step was complete.
    public var completeServerUs: UInt64
}

/// Stem data to decode.
public struct SongJob: Sendable {
    /// Music stream it came on.
    public var streamID: UInt32
    /// Which opening of that stream id.
    public var generation: UInt32
    /// Client's name for the song.
    public var songID: String
    /// The JSON.
    public var bytes: [UInt8]
}

/// What only the store or the server can answer.
public enum SessionRequest: Sendable, Equatable {
    /// One page of alerts.
    case history(HistoryQuery)
    /// The profile.
    case profile
    /// Settings changed since a revision.
    case settings(SettingsRequest)
    /// A change of settings.
    case patchSettings(SettingsPatch)
    /// A code for one more device.
    case pairingCode(PairingCodeRequest)
    /// The paired devices.
    case devices(DeviceListRequest)
    /// Takes a device's token away.
    case revoke(RevokeDevice)
    /// The metrics page.
    case metrics
    /// The profile's fingerspelling settings; the answer is `Session.signerKnown`.
    case signer
    /// The profile's own sounds; the answer is `Session.customSoundsKnown`.
    case customSounds
    /// Keeps changed sounds; the answer is `Session.customSoundsStored`, after `Session.fail` where it failed.
    case storeCustomSounds(SettingsPatch)
    /// Keeps a changed calibration; the answer is `Session.calibrationStored`, after `Session.fail` where it failed.
    case storeCalibration(SettingsPatch, streamID: UInt32)
}
