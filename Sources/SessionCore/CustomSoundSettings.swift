public import QuietAlert
public import SenseProtocol

/// A profile's own sounds as its settings hold them: one key for each.
public struct CustomSoundSettings: Sendable, Equatable {
    /// Beginning of the keys; a number follows. A change of any of them concerns every session of the person.
    public static let keyPrefix = "sounds.custom."

    /// The sounds by key.
    public var sounds: [String: TaughtSound] = [:]
    /// Keys whose value is no sound that this version can read.
    public var unreadable: [String] = []
    /// Revision of the settings they were read at.
    public var revision: UInt64 = 0

    /// None.
    public init() {}

    /// Picks them out of a profile's settings.
    public init(_ state: SettingsState) {
        revision = state.revision
        for setting in state.settings where setting.key.hasPrefix(Self.keyPrefix) {
            if case .blob(let bytes)? = setting.value?.value, let sound = TaughtSound(bytes: bytes) {
                sounds[setting.key] = sound
            } else {
                unreadable.append(setting.key)
            }
        }
    }

    func key(of label: String) -> String? { sounds.first { $0.value.label == label }?.key }

    /// The patch that keeps a sound, in the place of one of the same name.
    /// - Returns: nil when there is no room for one more.
    func keeping(_ sound: TaughtSound, at key: String? = nil) -> SettingsPatch? {
        let free = (0..<CustomSoundLimits.maxSounds).map { "\(Self.keyPrefix)\($0)" }.first {
            sounds[$0] == nil && !unreadable.contains($0)
        }
        guard let key = key ?? self.key(of: sound.label) ?? free else { return nil }
        return SettingsPatch(
            baseRevision: revision,
            settings: [Setting(key: key, value: SettingValue(value: .blob(sound.bytes)))])
    }

    /// The patch that removes one.
    func removing(_ key: String) -> SettingsPatch {
        SettingsPatch(baseRevision: revision, removedKeys: [key])
    }
}

/// The sounds of one session's person, and what is being taught on this connection.
struct SoundTeaching: Sendable {
    var settings = CustomSoundSettings()
    /// Settings were read once on this connection.
    var isKnown = false
    /// Examples of sounds that are not learned yet, by label; forgotten with the connection.
    var pending: [String: [CustomSoundExample]] = [:]
    /// Sound whose examples were learned and are being stored.
    var storing: String?
    /// A sound is learned or stored; the next wish waits.
    var isBusy = false
    /// Wishes that came before the settings were known, answered then.
    var waiting: [(edit: CustomSoundEdit, seq: UInt64)] = []
    /// A change was announced: what is read next is news.
    var expectsNews = false
    /// The device asked once, so it is told of changes.
    var isInterested = false
}

/// Examples to learn from, away from the loop; the answer is `Session.customSoundLearned`.
public struct CustomSoundJob: Sendable {
    /// The sound with all its examples; its threshold is what is sought.
    public var sound: TaughtSound
    /// The message that asked for it.
    public var seq: UInt64
}
