/// The numbers of the original rule.
public struct LetterRule: Equatable, Sendable {
    /// Least probability that counts as a vote.
    public var minConfidence: Float = 0.75
    /// Frames that vote, 1…8.
    public var voteWindow = 5
    /// Votes that make a letter stable.
    public var votesNeeded = 4
    /// Frames that a stable letter must be held on.
    public var holdFrames = 15

    /// The original rule: 0.75, 4 of 5, 15 more.
    public init() {}
}

/// Scores of successive frames → letters → text, by counting frames: the rule of the original application. The server
/// uses `LetterDecoder`; this one stays for `letters-bench` to compare with.
///
/// A frame votes for its best letter when that has `minConfidence`. A letter with `votesNeeded` of the last
/// `voteWindow` frames is stable; a stable letter held for `holdFrames` more frames is appended, once for each
/// hold: to repeat a letter its stability must break first. Missing frames (a gap in the index), bad frames and
/// frames without a hand do not vote.
public struct LetterStabilizer: Equatable, Sendable {
    /// The text so far, with its edits.
    public private(set) var text: SpelledText
    private let rule: LetterRule
    /// The last eight votes, newest in the low byte: 0 = none, else letter + 1.
    private var votes: UInt64 = 0
    private var run: Run?
    private var lastFrame: UInt64?

    private struct Run: Equatable, Sendable {
        let letter: Letter
        let firstFrame: UInt64
        var heldFrames = 0
        var isCommitted = false
    }

    /// Starts with an empty text.
    public init(rule: LetterRule = LetterRule(), text: SpelledText = SpelledText()) {
        self.rule = rule
        self.text = text
    }

    /// Edits the text.
    @discardableResult
    public mutating func apply(_ edit: TextEdit) -> Bool { text.apply(edit) }

    /// Takes the next frame. Nil when `frameIndex` does not grow: the frame is late or doubled and is left out.
    public mutating func observe(_ observation: LetterObservation, frameIndex: UInt64) -> LetterUpdate? {
        if let lastFrame {
            guard frameIndex > lastFrame else { return nil }
            // A gap of eight or more frames empties the window.
            let missing = min(frameIndex - lastFrame - 1, 8)
            if missing > 0 { votes = missing == 8 ? 0 : votes << (8 * missing) }
        }
        lastFrame = frameIndex
        let top = if case .scores(let scores) = observation { scores.top() } else { LikelyLetters() }
        let vote = top.first.flatMap { $0.probability >= rule.minConfidence ? $0.letter : nil }
        votes = votes << 8 | UInt64(vote.map { $0.index + 1 } ?? 0)
        let state = advance(to: stableLetter(), frameIndex: frameIndex)
        return update(state, observation: observation, top: top, vote: vote, frameIndex: frameIndex)
    }

    /// The letter with enough votes in the window, if any.
    private func stableLetter() -> Letter? {
        let window = min(max(rule.voteWindow, 1), 8)
        for place in 0..<window {
            let candidate = votes >> (8 * UInt64(place)) & 0xff
            guard candidate != 0 else { continue }
            var count = 0
            for other in 0..<window where votes >> (8 * UInt64(other)) & 0xff == candidate { count += 1 }
            if count >= rule.votesNeeded { return Letter(index: Int(candidate) - 1) }
        }
        return nil
    }

    /// Moves the run of the stable letter; the state when this frame commits, else nil.
    private mutating func advance(to stable: Letter?, frameIndex: UInt64) -> LetterUpdate.State? {
        guard let stable else {
            run = nil
            return nil
        }
        guard var current = run, current.letter == stable else {
            run = Run(letter: stable, firstFrame: frameIndex)
            return nil
        }
        guard !current.isCommitted else { return nil }
        current.heldFrames += 1
        defer { run = current }
        guard current.heldFrames >= rule.holdFrames else { return nil }
        current.isCommitted = true
        return text.append(stable) ? .committed : .textFull
    }

    private func update(
        _ change: LetterUpdate.State?, observation: LetterObservation, top: LikelyLetters, vote: Letter?,
        frameIndex: UInt64
    ) -> LetterUpdate {
        let letter = run?.letter ?? top.first?.letter
        let confidence: Float =
            if case .scores(let scores) = observation, let letter {
                scores[letter.index]
            } else { 0 }
        let state: LetterUpdate.State =
            if let change { change } else if run != nil { .partial } else if observation == .noHand {
                .noHand
            } else if vote != nil { .partial } else { .uncertain }
        return LetterUpdate(
            state: state, letter: state == .noHand ? nil : letter, confidence: confidence, alternatives: top,
            holdProgress: run.map { min(1, Float($0.heldFrames) / Float(max(rule.holdFrames, 1))) } ?? 0,
            text: text.text, firstFrame: run?.firstFrame ?? frameIndex, lastFrame: frameIndex)
    }
}
