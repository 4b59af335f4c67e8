/// One frame of the grid, with the instant at which to show it.
public struct VisualFrame: Equatable, Sendable {
    /// 0…totalFrames − 1.
    public let frame: Int
    /// Server time, microseconds.
    public let playAtUs: Int64
    /// Energies, 0…1.
    public let drums, bass, vocals, other: Float
    /// Beat and onsets.
    public let marks: FrameMarks
}

/// One tap, with the instant at which to feel it.
public struct HapticEvent: Equatable, Sendable {
    /// 0…totalFrames − 1.
    public let frame: Int
    /// Server time, microseconds.
    public let playAtUs: Int64
    /// How strong.
    public let strength: HapticStrength
}

/// A run of consecutive frames of one playback, with the taps that fall into it.
public struct MusicBatch: Equatable, Sendable {
    /// The playback it belongs to; frames of an older one are not to be shown.
    public let playbackID: UInt64
    /// Frames per second of server time: the grid's times the playback rate.
    public let framesPerSecond: Double
    /// At least one, consecutive, ascending.
    public let frames: [VisualFrame]
    /// By ascending time, each on one of `frames`.
    public let haptics: [HapticEvent]

    /// The batch for a device that shows and taps `outputOffsetMs` late by itself (negative: early): every
    /// output of it is asked for that much sooner. The offset is brought within −1,000…1,000 ms.
    public func shifted(outputOffsetMs: Int) -> MusicBatch {
        let range = HarmoniAILimits.outputOffsetMs
        let shiftUs = Int64(min(range.upperBound, max(range.lowerBound, outputOffsetMs))) * 1_000
        guard shiftUs != 0 else { return self }
        return MusicBatch(
            playbackID: playbackID, framesPerSecond: framesPerSecond,
            frames: frames.map {
                VisualFrame(
                    frame: $0.frame, playAtUs: HarmonyTime.subtract($0.playAtUs, shiftUs), drums: $0.drums,
                    bass: $0.bass, vocals: $0.vocals, other: $0.other, marks: $0.marks)
            },
            haptics: haptics.map {
                HapticEvent(
                    frame: $0.frame, playAtUs: HarmonyTime.subtract($0.playAtUs, shiftUs),
                    strength: $0.strength)
            })
    }
}
