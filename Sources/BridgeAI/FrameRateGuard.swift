/// Keeps one hand stream within its frame rate, by the device's own clock.
///
/// A bucket of `BridgeAILimits.maxBurstFrames` frames refills at `maxFramesPerSecond`; a frame that finds it
/// empty is left out and counted. Frames whose index does not grow are left out. A clock that steps back or
/// leaps ahead is reported, and time starts anew there.
public struct FrameRateGuard: Equatable, Sendable {
    /// What to do with a frame.
    public enum Verdict: Equatable, Sendable {
        /// Use it.
        case admitted
        /// Use it, and warn that the clock went from `fromUs` to `toUs`.
        case clockJumped(fromUs: UInt64, toUs: UInt64)
        /// Leave it out: more than 120 frames a second.
        case tooFast
        /// Leave it out: its index equals the last one.
        case duplicate
        /// Leave it out: its index is lower than the last one.
        case outOfOrder
    }

    /// Frames left out because they came too fast.
    public private(set) var droppedFrames: UInt64 = 0
    /// Frames that the index says were never received.
    public private(set) var missingFrames: UInt64 = 0
    private var last: (index: UInt64, us: UInt64)?
    /// In frames × 1,000,000, so that refilling is exact in microseconds.
    private var credit: UInt64

    private static let frame: UInt64 = 1_000_000
    private static let full = UInt64(BridgeAILimits.maxBurstFrames) * frame

    /// Starts with a full bucket.
    public init() {
        credit = Self.full
    }

    /// Judges frame `index`, taken at `monoUs` microseconds of the device's clock.
    public mutating func admit(index: UInt64, monoUs: UInt64) -> Verdict {
        var jump: Verdict?
        if let last {
            if index == last.index { return .duplicate }
            if index < last.index { return .outOfOrder }
            missingFrames &+= index - last.index - 1
            if monoUs < last.us || monoUs - last.us > BridgeAILimits.maxClockStepUs {
                jump = .clockJumped(fromUs: last.us, toUs: monoUs)
            } else {
                let refill = (monoUs - last.us) * UInt64(BridgeAILimits.maxFramesPerSecond)
                credit = min(Self.full, credit + refill)
            }
        }
        last = (index, monoUs)
        guard credit >= Self.frame else {
            droppedFrames &+= 1
            return .tooFast
        }
        credit -= Self.frame
        return jump ?? .admitted
    }

    /// Same state, for tests and for copies that must be compared.
    public static func == (left: FrameRateGuard, right: FrameRateGuard) -> Bool {
        left.droppedFrames == right.droppedFrames && left.missingFrames == right.missingFrames
            && left.credit == right.credit && left.last?.index == right.last?.index
            && left.last?.us == right.last?.us
    }
}
