import Numerics

/// Frames of one hand → letters → text, by time instead of by counting frames.
///
/// Each letter gathers evidence: the logarithm of its probability against a neutral one, times the frame's share of time,
/// less a cost for the motion of the hand, measured by the speller's own recent top speed. So a quick speller's short
/// valley of motion counts as a beginner's long hold does, and a shape that is only passed at speed (E between O and N)
/// does not. A letter is committed while it is held, once its evidence is plain, or with less when it has passed through a
/// valley of motion. Holding on never repeats a letter; a bounce or a slide does. J and Z are paths of a fingertip
/// (`MotionTrail`) and withdraw the I or D that began them.
///
/// Value type without a clock: time is the device's, passed in. About 5 KB, no growth but the text.
public struct LetterDecoder: Equatable, Sendable {
    /// The text so far, with its edits.
    public private(set) var text: SpelledText
    /// What the person set.
    public var settings: DecoderSettings
    let tuning: DecoderTuning
    /// Ratio of probabilities below which `tuning.floor` holds, whatever its logarithm: a hair lower than e^floor.
    let leastRatio: Float

    var evidence = LetterNumbers()
    /// Probabilities of the last moments, weighed by stillness.
    var mean = LetterNumbers()
    var candidate: Candidate?
    var held: HeldLetter?
    var trail = MotionTrail()
    /// The last commits whose frames may turn out to be the beginning of a J or a Z.
    var recent: [RecentLetter] = []
    var topSpeed: Float
    /// Fastest since the last letter.
    var peakSpeed: Float = 0
    var restUs: Float = 0
    private var lastFrame: UInt64?
    private(set) var lastUs: UInt64?
    private var absence: Absence?

    /// The letter with most evidence, not committed yet.
    struct Candidate: Equatable, Sendable {
        let letter: Int
        let firstFrame: UInt64
        let startUs: UInt64
        var lastFrame: UInt64
        var endUs: UInt64
        var highest: Float
        /// Fastest before it, slowest while it gathered, fastest since then.
        let speedBefore: Float
        var slowest: Float
        var speedSince: Float
    }

    /// The letter committed last, as long as the hand may still show it.
    struct HeldLetter: Equatable, Sendable {
        let letter: Int
        let sinceUs: UInt64
        /// A movement goes on that may be a bounce: paths so far.
        var travel: Float = 0
        var shape: Float = 0
        var approach: Float = 0
        var movingUs: Float = 0
        /// The longest steps from one frame to the next in it.
        var longestTravel: Float = 0
        var longestShape: Float = 0
        var quietUs: Float = 0
        /// False until the movement that led to the letter has ended.
        var hasSettled = false
        var isReleased = false
    }

    struct RecentLetter: Equatable, Sendable {
        let letter: Int
        let startUs: UInt64

        static let maxCount = 4
        static let heapBytes = maxCount * MemoryLayout<RecentLetter>.stride
    }

    private struct Absence: Equatable {
        let startUs: UInt64
        var hasSpace = false
        var hasEnded = false
    }

    /// A missing hand shorter than this is a detector's drop-out.
    static let dropOutUs: UInt64 = 250_000
    /// A frame stands for no more than this much time.
    static let longestStepUs: UInt64 = 120_000

    /// Bytes that a decoder holds beside its own: the trail and the last commits.
    public static let heapBytes = MotionTrail.heapBytes + RecentLetter.heapBytes

    /// Starts with an empty text.
    public init(
        settings: DecoderSettings = DecoderSettings(), text: SpelledText = SpelledText(),
        tuning: DecoderTuning = DecoderTuning()
    ) {
        self.settings = settings
        self.text = text
        self.tuning = tuning
        leastRatio = Float(Elementary.exp(Double(tuning.floor))) * 0.999
        topSpeed = (tuning.topSpeed.lowerBound + tuning.topSpeed.upperBound) / 2
    }

    /// Edits the text.
    @discardableResult
    public mutating func apply(_ edit: TextEdit) -> Bool {
        // What the person took away is not withdrawn again for a J.
        recent.removeAll(keepingCapacity: true)
        return text.apply(edit)
    }

    /// Another hand is read from now on; the text goes on.
    public mutating func handChanged() { forgetHand() }

    /// Takes the next frame.
    ///
    /// - Parameters:
    ///   - motion: of the hand; nil without one.
    ///   - timeUs: device's clock; a step back or a leap loses only the letter in the making.
    /// - Returns: nil when `frameIndex` does not grow: the frame is late or doubled and is left out.
    public mutating func observe(
        _ observation: LetterObservation, motion: HandMotion?, frameIndex: UInt64, timeUs: UInt64
    ) -> LetterUpdate? {
        if let lastFrame, frameIndex <= lastFrame { return nil }
        lastFrame = frameIndex
        let stepUs = advanceClock(to: timeUs)
        switch observation {
        case .scores(let scores):
            let moment = Moment(
                scores: scores, motion: motion ?? HandMotion(), stepUs: stepUs, frame: frameIndex,
                timeUs: timeUs)
            if let update = handReturned(timeUs, moment) { return update }
            return observe(moment)
        case .noHand: return observeAbsence(frameIndex, timeUs)
        case .badFrame: return show(.uncertain, nil, frameIndex)
        }
    }

    /// The stream ends: a letter that has been shown well enough is taken. Nil when there is none.
    public mutating func finish() -> LetterUpdate? {
        guard let lastFrame, let lastUs else { return nil }
        return commitLeaving(lastFrame, lastUs)
    }

    /// Microseconds since the last frame; 0 after a jump of the clock.
    private mutating func advanceClock(to timeUs: UInt64) -> Float {
        defer { lastUs = timeUs }
        guard let lastUs else { return tuning.unitUs }
        guard timeUs >= lastUs, timeUs - lastUs <= BridgeAILimits.maxClockStepUs else {
            forgetHand()
            if absence != nil { absence = Absence(startUs: timeUs) }
            return 0
        }
        // A producer that falls silent sees no hand.
        if timeUs - lastUs > Self.dropOutUs, absence == nil { absence = Absence(startUs: lastUs) }
        return Float(min(timeUs - lastUs, Self.longestStepUs))
    }

    /// The hand is back. An update when its absence made a space or left a letter behind.
    private mutating func handReturned(_ timeUs: UInt64, _ moment: Moment) -> LetterUpdate? {
        guard let gone = absence else { return nil }
        absence = nil
        let length = timeUs - min(timeUs, gone.startUs)
        guard length >= Self.dropOutUs else { return nil }
        // Only where the producer was silent: else `observeAbsence` has taken it.
        let left = commitLeaving(moment.frame, timeUs)
        forgetHand()
        let isSpaced = length >= settings.awaySpaceUs && !gone.hasSpace && text.apply(.space)
        if let left { return left }
        return isSpaced ? show(.space, moment.scores, moment.frame) : nil
    }

    private mutating func observeAbsence(_ frame: UInt64, _ timeUs: UInt64) -> LetterUpdate {
        var gone = absence ?? Absence(startUs: timeUs)
        defer { absence = gone }
        let length = timeUs - min(timeUs, gone.startUs)
        guard length >= Self.dropOutUs else { return show(.noHand, nil, frame) }
        let left = commitLeaving(frame, timeUs)
        forgetHand()
        if let left { return left }
        if length >= settings.awaySpaceUs, !gone.hasSpace {
            gone.hasSpace = true
            if text.apply(.space) { return show(.space, nil, frame) }
        }
        if length >= settings.phraseEndUs, !gone.hasEnded {
            gone.hasEnded = true
            return show(.phraseEnd, nil, frame)
        }
        return show(.noHand, nil, frame)
    }

    mutating func forgetHand() {
        evidence = LetterNumbers()
        mean = LetterNumbers()
        candidate = nil
        held = nil
        trail.clear()
        recent.removeAll(keepingCapacity: true)
        peakSpeed = 0
        restUs = 0
    }

    /// Puts a letter at the end of the text in place of the last `replaces`; false when the text is full.
    mutating func write(_ letter: Letter, replaces: Int) -> Bool {
        for _ in 0..<replaces { _ = text.apply(.delete) }
        return text.append(letter)
    }

    /// Writes a space; false when none is due.
    mutating func writeSpace() -> Bool { text.apply(.space) }
}

/// One frame with a hand.
struct Moment {
    let scores: LetterScores
    let motion: HandMotion
    /// Microseconds that the frame stands for.
    let stepUs: Float
    let frame: UInt64
    let timeUs: UInt64
}
