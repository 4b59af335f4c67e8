public import SignalProcessing

/// Whether a stream can be heard, worst first: several faults may hold at once.
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
    /// Less than a working microphone's own noise.
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
    /// Below this level (and not digitally silent) for ``tooQuietAfterUs``: too quiet.
    ///
    /// A quiet room must not be a fault, so it lies below the noise of what hears least and works: Android's
    /// unprocessed source, −36 dBFS at 94 dB SPL (CDD 5.11 C-1-5), with a good microphone of 65 dB SNR is at −101 dBFS in
    /// a room without any sound; an INMP441 (data sheet) is at −87. So it finds microphones that give next to nothing,
    /// not those with some gain too little.
    public var tooQuietDBFS: Float
    /// How long too quiet must last. With the meter's second and chunks of 2 s it is told before 15 s.
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

    /// Defaults that meet: stalled, silent and too quiet within 15 s, wrong rate within 3 s.
    public init(
        stalledAfterUs: UInt64 = 6_000_000, silentAfterMs: UInt64 = 10_000, tooQuietDBFS: Float = -104,
        tooQuietAfterUs: UInt64 = 10_000_000, clippedShare: Float = 0.02,
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
    /// Faults told before, worst first.
    public var from: [StreamHealthState]
    /// Faults that hold now, worst first; empty is the recovery notice.
    public var to: [StreamHealthState]
    /// How often, within the flap window, the fault that began or ended had begun: above 1 it flaps.
    public var flapCount: Int
}

/// Watches one audio stream and says when it can not be heard, and when it can again.
///
/// No clock of its own: the owner passes instants. Each fault is told at once and by itself, its end only after that has
/// lasted, and the longer the more often the fault has come back: damped, never hidden. While nothing arrives, what was
/// known of the samples stays as it was. Instants that run backwards are read as the newest one.
public struct StreamHealthMonitor: Sendable {
    /// One fault's past.
    private struct Fault: Sendable {
        var isTold = false
        var goodSinceUs: UInt64?
        /// Beginnings within the flap window; at least the shortest recovery apart, so few.
        var onsetsUs: [UInt64] = []
    }

    /// What was measured, for reports.
    public private(set) var reading: LevelMeter.Reading?
    /// Faults as told, worst first.
    public private(set) var faults: [StreamHealthState] = []
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
    private var known: [StreamHealthState: Fault] = [:]

    /// A monitor of a stream that opened at `nowUs`.
    public init(
        openedUs nowUs: UInt64, voiceProcessed: Bool = false, rules: StreamHealthRules = StreamHealthRules()
    ) {
        self.rules = rules
        self.voiceProcessed = voiceProcessed
        self.nowUs = nowUs
        lastChunkUs = nowUs
    }

    /// The worst fault as told, or `ok`.
    public var state: StreamHealthState { faults.first ?? .ok }

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

    /// Looks at the clock; call at least once a second. Returns the change to tell, if any.
    public mutating func evaluate(nowUs: UInt64) -> StreamHealthChange? {
        advance(to: nowUs)
        let seen = observed(at: self.nowUs)
        guard seen != faults || known.values.contains(where: { $0.goodSinceUs != nil }) else { return nil }
        let before = faults
        var flapCount = 0
        for fault in seen { flapCount = max(flapCount, begin(fault)) }
        for fault in before where !seen.contains(fault) { flapCount = max(flapCount, end(fault)) }
        faults = StreamHealthState.allCases.filter { known[$0]?.isTold == true }
        guard faults != before else { return nil }
        return StreamHealthChange(from: before, to: faults, flapCount: flapCount)
    }

    private mutating func advance(to nowUs: UInt64) { self.nowUs = max(self.nowUs, nowUs) }

    /// The fault is there. Returns how often it has begun lately, if it is news.
    private mutating func begin(_ state: StreamHealthState) -> Int {
        var fault = known[state] ?? Fault()
        fault.goodSinceUs = nil
        defer { known[state] = fault }
        guard !fault.isTold else { return 0 }
        fault.isTold = true
        fault.onsetsUs.removeAll { nowUs - $0 > rules.flapWindowUs }
        fault.onsetsUs.append(nowUs)
        return fault.onsetsUs.count
    }

    /// The fault is not there. Returns how often it has begun lately, if its end is news.
    private mutating func end(_ state: StreamHealthState) -> Int {
        guard var fault = known[state], fault.isTold else { return 0 }
        let since = fault.goodSinceUs ?? nowUs
        fault.goodSinceUs = since
        let isOver = nowUs - since >= recoveryUs(flaps: fault.onsetsUs.count)
        if isOver { (fault.isTold, fault.goodSinceUs) = (false, nil) }
        known[state] = fault
        return isOver ? fault.onsetsUs.count : 0
    }

    private func recoveryUs(flaps: Int) -> UInt64 {
        min(rules.maxRecoveryUs, rules.recoveryUs << UInt64(min(5, max(0, flaps - 1))))
    }

    /// Faults there are now, worst first.
    private func observed(at now: UInt64) -> [StreamHealthState] {
        let isStalled = now - lastChunkUs >= rules.stalledAfterUs
        let isSilent = (reading?.digitalSilenceMs ?? 0) >= rules.silentAfterMs
        return StreamHealthState.allCases.filter { state in
            switch state {
            case .ok: false
            case .stalled: isStalled
            case .detectorBehind: isBehind(at: now)
            case .voiceProcessed: voiceProcessed
            case .silent: isStalled ? faults.contains(state) : isSilent
            case .rateMismatch: isStalled ? faults.contains(state) : mismatchRatio != nil
            case .clipped: lasts(clippedSinceUs, rules.clippedAfterUs)
            case .tooQuiet: !isSilent && lasts(quietSinceUs, rules.tooQuietAfterUs)
            }
        }
    }

    /// Whether something lasted for so long up to the newest chunk: time without samples proves nothing.
    private func lasts(_ since: UInt64?, _ afterUs: UInt64) -> Bool {
        guard let since, lastChunkUs >= since else { return false }
        return lastChunkUs - since >= afterUs
    }

    private func isBehind(at now: UInt64) -> Bool {
        // When the source stops within a hop, the rest waits for it, not for us: measured up to the newest chunk.
        if lasts(unjudgedSinceUs, rules.behindAfterUs) { return true }
        return lastLossUs.map { now - $0 < rules.behindAfterUs } ?? false
    }
}
