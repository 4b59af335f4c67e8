/// The four parts that a song is split into.
public enum Stem: String, Equatable, Sendable, CaseIterable {
    /// Drums and other percussion.
    case drums
    /// Bass.
    case bass
    /// Voices.
    case vocals
    /// Everything else.
    case other
}

/// What happens on one frame, as a set of bits.
public struct FrameMarks: OptionSet, Equatable, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// A set of the given bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// A beat of the song.
    public static let beat = FrameMarks(rawValue: 1)
    /// A drum onset, strong or not.
    public static let drumOnset = FrameMarks(rawValue: 2)
    /// A strong drum onset.
    public static let strongDrumOnset = FrameMarks(rawValue: 4)
    /// A vocal onset, strong or not.
    public static let vocalOnset = FrameMarks(rawValue: 8)
    /// A strong vocal onset.
    public static let strongVocalOnset = FrameMarks(rawValue: 16)
}

/// A song as energies of four stems on a fixed frame grid, with its onsets and beats. Checked: every list has
/// `totalFrames` entries, every energy is in 0…1.
public struct StemData: Equatable, Sendable {
    /// Title, at most `HarmoniAILimits.maxTitleBytes`.
    public let title: String
    /// Length as the file states it, in seconds.
    public let durationSeconds: Double
    /// Frames a second.
    public let fps: Double
    /// Frames of the song, at least 1.
    public let totalFrames: Int
    /// Beats a minute, if known.
    public let tempoBPM: Double?
    /// Per frame, 0…1. A stem whose file values exceed 1 was divided by its largest.
    public let drums, bass, vocals, other: [Float]
    /// Per frame.
    public let marks: [FrameMarks]

    /// Energies of one stem, `[totalFrames]`, each 0…1.
    public func energy(_ stem: Stem) -> [Float] {
        switch stem {
        case .drums: drums
        case .bass: bass
        case .vocals: vocals
        case .other: other
        }
    }

    /// Microseconds of song from its start to the first instant of `frame`, so that
    /// `floor(time × fps) == frame` there. `frame` may exceed the song when it loops.
    public func startUs(ofFrame frame: Int64) -> Int64 {
        HarmonyTime.us(Double(frame) * 1_000_000 / fps, rounded: .up)
    }

    /// Length of the grid, `totalFrames / fps`, in microseconds.
    public var gridUs: Int64 { startUs(ofFrame: Int64(totalFrames)) }
}

/// Microseconds as integers, without traps.
enum HarmonyTime {
    /// Largest time handled: 2^52 µs is 142 years, and exact in a Double.
    static let limit = 4_503_599_627_370_496.0

    static func us(_ value: Double, rounded rule: FloatingPointRoundingRule) -> Int64 {
        guard value.isFinite else { return 0 }
        return Int64(min(limit, max(-limit, value)).rounded(rule))
    }

    static func add(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? (b > 0 ? .max : .min) : sum
    }

    static func subtract(_ a: Int64, _ b: Int64) -> Int64 {
        let (difference, overflow) = a.subtractingReportingOverflow(b)
        return overflow ? (b > 0 ? .min : .max) : difference
    }
}
