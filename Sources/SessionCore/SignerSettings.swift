public import SenseProtocol

/// What a profile's settings hold about a person's fingerspelling.
public struct SignerSettings: Sendable, Equatable {
    /// Beginning of the keys below; a change of any of them concerns open hand streams.
    public static let keyPrefix = "bridge."
    /// Text: names and places, separated by commas or lines.
    public static let wordsKey = "bridge.words"
    /// Bytes: the calibration in force (`PersonalAdaptation`).
    public static let calibrationKey = "bridge.calibration"
    /// Bytes: the calibration before it; empty = there was none.
    public static let previousKey = "bridge.calibration_previous"

    /// See `wordsKey`.
    public var words = ""
    /// See `calibrationKey`; nil = none.
    public var calibration: [UInt8]?
    /// See `previousKey`; nil = nothing to go back to.
    public var previous: [UInt8]?
    /// Revision of the settings they were read at.
    public var revision: UInt64 = 0

    /// No settings.
    public init() {}

    /// Picks them out of a profile's settings; a value of another type is read as absent.
    public init(_ state: SettingsState) {
        revision = state.revision
        for setting in state.settings {
            switch (setting.key, setting.value?.value) {
            case (Self.wordsKey, .text(let text)?): words = text
            case (Self.calibrationKey, .blob(let bytes)?): calibration = bytes
            case (Self.previousKey, .blob(let bytes)?): previous = bytes
            default: break
            }
        }
    }

    /// The patch that makes `next` the calibration in force and keeps the present one to go back to.
    func replacing(calibration next: [UInt8]) -> SettingsPatch {
        SettingsPatch(
            baseRevision: revision,
            settings: [
                Setting(key: Self.calibrationKey, value: SettingValue(value: .blob(next))),
                Setting(key: Self.previousKey, value: SettingValue(value: .blob(calibration ?? []))),
            ])
    }

    /// The patch that goes back; nil when there is nothing to go back to.
    var undoing: SettingsPatch? {
        guard let previous else { return nil }
        guard !previous.isEmpty else {
            return SettingsPatch(
                baseRevision: revision, removedKeys: [Self.calibrationKey, Self.previousKey])
        }
        return SettingsPatch(
            baseRevision: revision,
            settings: [Setting(key: Self.calibrationKey, value: SettingValue(value: .blob(previous)))],
            removedKeys: [Self.previousKey])
    }
}
