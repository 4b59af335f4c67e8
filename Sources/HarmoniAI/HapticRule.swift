/// How strong one tap is.
public enum HapticStrength: Equatable, Sendable, CaseIterable {
    /// A light touch: a voice enters, or drums go on.
    case soft
    /// A beat.
    case medium
    /// A hard drum hit.
    case heavy

    /// 0…1. Three clearly different steps; the strongest uses all that the actuator has.
    public var intensity: Float {
        switch self {
        case .soft: 0.4
        case .medium: 0.7
        case .heavy: 1
        }
    }

    /// 0…1; heavier taps are crisper, as a drum's attack is.
    public var sharpness: Float {
        switch self {
        case .soft: 0.3
        case .medium: 0.5
        case .heavy: 0.8
        }
    }
}

/// A tap on one frame of a song.
public struct HapticCue: Equatable, Sendable {
    /// 0…totalFrames − 1.
    public let frame: Int
    /// How strong.
    public let strength: HapticStrength

    /// A tap of `strength` on `frame`.
    public init(frame: Int, strength: HapticStrength) {
        self.frame = frame
        self.strength = strength
    }
}

/// The original rule that turns a song into taps.
///
/// Frame by frame: a strong drum onset more than 6 frames after the last heavy tap is heavy; else a beat more
/// than 4 frames after the last tap of any kind is medium; else a strong vocal onset or drum energy above 0.15,
/// more than 4 frames after the last tap, is soft. It runs once over the whole song, so that the taps do not
/// depend on where somebody starts to listen.
public enum HapticRule {
    /// Frames that must lie between two heavy taps.
    public static let heavySpacingFrames = 6
    /// Frames that must lie between a medium or soft tap and the tap before it.
    public static let spacingFrames = 4
    /// Drum energy above which a frame earns a soft tap.
    public static let softDrumEnergy: Float = 0.15

    /// All taps of `song`, by ascending frame.
    public static func cues(of song: StemData) -> [HapticCue] {
        var cues: [HapticCue] = []
        var lastHeavy = -heavySpacingFrames - 1
        var lastTap = -spacingFrames - 1
        for frame in 0..<song.totalFrames {
            let marks = song.marks[frame]
            let strength: HapticStrength? =
                if marks.contains(.strongDrumOnset), frame - lastHeavy > heavySpacingFrames {
                    .heavy
                } else if frame - lastTap <= spacingFrames {
                    nil
                } else if marks.contains(.beat) {
                    .medium
                } else if marks.contains(.strongVocalOnset) || song.drums[frame] > softDrumEnergy {
                    .soft
                } else { nil }
            guard let strength else { continue }
            cues.append(HapticCue(frame: frame, strength: strength))
            lastTap = frame
            if strength == .heavy { lastHeavy = frame }
        }
        return cues
    }
}
