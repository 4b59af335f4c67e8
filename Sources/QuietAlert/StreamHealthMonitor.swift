public import SignalProcessing

/// Whether a stream can be heard, worst first where several are true.
public enum StreamHealthState: Int, CaseIterable, Sendable {
    /// All is well. A really quiet room counts as well.
    case ok
    /// Nothing arrives.
    case stalled
    /// Samples arrive but never change: a muted or broken microphone.
    case silent
    /// Measured and declared sample rate differ.
    case rateMismatch
    /// The detector does not keep up.
    case detectorBehind
    /// Too much of the sound is at full scale.
    case clipped
    /// Below what a working microphone's own noise gives.
    case tooQuiet
    /// The device says it suppresses noise, which may remove alarms.
    case voiceProcessed
}

/// When a state counts. Times are microseconds of the server's monotonic clock.
public struct StreamHealthRules: Equatable, Sendable {
    /// No chunk for so long: stalled. Chunks are at most 2 s long.
    public var stalledAfterUs: UInt64
    /// Digital silence for so long: silent. With the damping it is announced before 15 s.
    public var silentAfterMs: UInt64
    /// Below this level (and not digitally silent) for ``tooQuietAfterUs``: too quiet. A phone's own noise lies
    /// above −80 dBFS; a quiet room at −60 is fine.
    public var tooQuietDBFS: Float
    /// How long too quiet must last.
    public var tooQuietAfterUs: UInt64
    /// Share of samples at full scale that counts as clipped.
    public var clippedShare: Float
    /// How long clipping must last: a slammed door is no fault.
    public var clippedAfterUs: UInt64
    /// Samples that wait so long for an inference count as a detector that is behind; so does, for as long, one
    /// that had to leave samples out.
    public var behindAfterUs: UInt64
    /// A good state must last so long before recovery is announced; doubles with each flap inside
    /// ``flapWindowUs``, up to ``maxRecoveryUs``.
    public var recoveryUs: UInt64
    /// Longest that recovery is held back.
    public var maxRecoveryUs: UInt64
    /// Faults further apart than this do not count as flapping.
    public var flapWindowUs: UInt64

    /// Defaults that meet: stalled and silent within 15 s, wrong rate within 3 s.
    public init(
        stalledAfterUs: UInt64 = 6_000_000, silentAfterMs: UInt64 = 10_000, tooQuietDBFS: Float = -85,
        tooQuietAfterUs: UInt64 = 30_000_000, clippedShare: Float = 0.02,
        clippedAfterUs: UInt64 = 5_000_000, behindAfterUs: UInt64 = 5_000_000,
        recoveryUs: UInt64 = 2_000_000, maxRecoveryUs: UInt64 = 60_000_000,
        flapWindowUs: UInt64 = 120_000_000
    ) {
        self.stalledAfterUs = stalledAfterUs
        self.silentAfterMs = silentAfterMs
        self.tooQuietDBFS = tooQuietDBFS
        self.tooQuietAfterUs = tooQuietAfterUs
        self.clippedShare = clippedShare
        self.clippedAfterUs = clippedAfterUs
        self.behindAfterUs = behindAfterUs
        self.recoveryUs = recoveryUs
        self.maxRecoveryUs = maxRecoveryUs
        self.flapWindowUs = flapWindowUs
    }
}

/// A change that people should know of.
public struct StreamHealthChange: Equatable, Sendable {
    /// State before.
    public var from: StreamHealthState
    /// State now; `ok` is the recovery notice.
    public var to: StreamHealthState
    /// Since when the new state has held.
    public var sinceUs: UInt64
    /// Faults within the flap window, this one included: above 1 the stream flaps.
    public var flapCount: Int
}

/// Watches one audio stream and says when it can not be heard, and when it can again.
///
/// No clock of its own: the owner passes instants. Faults are announced at once, the recovery only after it has
/// lasted, and the longer the more often the stream has flapped: damped, never hidden. Instants that run backwards
/// are read as the newest one.
public struct StreamHealthMonitor: Sendable {
    /// What was measured, for reports.
    public private(set) var reading: LevelMeter.Reading?
    /// State as announced.
    public private(set) var state: StreamHealthState = .ok
    /// Length of all gaps and of all that was left out so far: time that could not be judged.
    public private(set) var blindUs: UInt64 = 0

    private let rules: StreamHealthRules
    private var voiceProcessed: Bool
    private var nowUs: UInt64
    private var lastChunkUs: UInt64
    private var lastInferenceUs: UInt64?
    private var lastLossUs: UInt64?
    /// Arrival of the oldest chunk since the last inference.
    private var unjudgedSinceUs: UInt64?
    private var mismatchRatio: Double?
    private var quietSinceUs: UInt64?
    private var clippedSinceUs: UInt64?
    private var goodSinceUs: UInt64?
    private var faultsUs: [UInt64] = []

    /// A monitor of a stream that opened at `nowUs`.
    public init(
        openedUs nowUs: UInt64, voiceProcessed: Bool = false, rules: StreamHealthRules = StreamHealthRules()
    ) {
        self.rules = rules
        self.voiceProcessed = voiceProcessed
        self.nowUs = nowUs
        lastChunkUs = nowUs
    }

    /// A chunk arrived and was metered.
    public mutating func noteChunk(_ reading: LevelMeter.Reading, mismatchRatio: Double?, nowUs: UInt64) {
        advance(to: nowUs)
        lastChunkUs = self.nowUs
        unjudgedSinceUs = unjudgedSinceUs ?? self.nowUs
        self.reading = reading
        self.mismatchRatio = mismatchRatio
        let isQuiet = reading.rmsDBFS < rules.tooQuietDBFS
        quietSinceUs = isQuiet ? quietSinceUs ?? self.nowUs : nil
        let isClipped = reading.clippedShare >= rules.clippedShare
        clippedSinceUs = isClipped ? clippedSinceUs ?? self.nowUs : nil
    }

    /// Samples were judged, or skipped on purpose because nothing can be in them. `waitingSinceUs` is when the oldest
    /// of those that still wait came.
    public mutating func noteInference(nowUs: UInt64, waitingSinceUs: UInt64? = nil) {
        advance(to: nowUs)
        lastInferenceUs = self.nowUs
        unjudgedSinceUs = waitingSinceUs
    }

    /// Samples were left out because the detector did not keep up: blind, and worth telling at once.
    public mutating func noteLost(durationUs: UInt64, nowUs: UInt64) {
        advance(to: nowUs)
        lastLossUs = self.nowUs
        blindUs &+= durationUs
    }

    /// A gap of the stream was replaced by silence.
    public mutating func noteGap(durationUs: UInt64) { blindUs &+= durationUs }

    /// The stream goes on in another format: what was measured in the old one no longer counts.
    public mutating func formatChanged(voiceProcessed: Bool, nowUs: UInt64) {
        advance(to: nowUs)
        self.voiceProcessed = voiceProcessed
        reading = nil
        mismatchRatio = nil
        quietSinceUs = nil
        clippedSinceUs = nil
    }

    /// Age of the last inference, or nil before the first.
    public func inferenceAgeUs(nowUs: UInt64) -> UInt64? {
        lastInferenceUs.map { nowUs > $0 ? nowUs - $0 : 0 }
    }

    /// Looks at the clock; call at least once a second. Returns the change to announce, if any.
    public mutating func evaluate(nowUs: UInt64) -> StreamHealthChange? {
        advance(to: nowUs)
        let now = self.nowUs
        let seen = observed(at: now)
        guard seen != state else {
            goodSinceUs = nil
            return nil
        }
        faultsUs.removeAll { now - $0 > rules.flapWindowUs }
        // Between faults the worse is told at once; a lesser one, like recovery, must last.
        let isWorse = state == .ok || (seen != .ok && seen.rawValue < state.rawValue)
        if isWorse {
            if state == .ok { faultsUs.append(now) }
            return change(to: seen, since: now)
        }
        let since = goodSinceUs ?? now
        goodSinceUs = since
        guard now - since >= recoveryDelayUs else { return nil }
        return change(to: seen, since: since)
    }

    private mutating func advance(to nowUs: UInt64) { self.nowUs = max(self.nowUs, nowUs) }

    private mutating func change(to next: StreamHealthState, since: UInt64) -> StreamHealthChange {
        let result = StreamHealthChange(from: state, to: next, sinceUs: since, flapCount: faultsUs.count)
        state = next
        goodSinceUs = nil
        return result
    }

    private var recoveryDelayUs: UInt64 {
        let doublings = min(5, max(0, faultsUs.count - 1))
        return min(rules.maxRecoveryUs, rules.recoveryUs << UInt64(doublings))
    }

    private func observed(at now: UInt64) -> StreamHealthState {
        if now - lastChunkUs >= rules.stalledAfterUs { return .stalled }
        if let reading, reading.digitalSilenceMs >= rules.silentAfterMs { return .silent }
        if mismatchRatio != nil { return .rateMismatch }
        // Measured up to the newest chunk: when the source stops within a hop, the rest waits for it, not for us.
        if let unjudgedSinceUs, lastChunkUs >= unjudgedSinceUs,
            lastChunkUs - unjudgedSinceUs >= rules.behindAfterUs
        {
            return .detectorBehind
        }
        if let lastLossUs, now - lastLossUs < rules.behindAfterUs { return .detectorBehind }
        if let clippedSinceUs, now - clippedSinceUs >= rules.clippedAfterUs { return .clipped }
        if let quietSinceUs, now - quietSinceUs >= rules.tooQuietAfterUs { return .tooQuiet }
        return voiceProcessed ? .voiceProcessed : .ok
    }
}
