extension LetterDecoder {

    /// Least time between two drawings of one letter.
    private static let redrawUs: UInt64 = 800_000

    /// Appends a letter that was held or has passed.
    mutating func commit(_ shown: Candidate, _ moment: Moment) -> LetterUpdate? {
        commit(shown, frame: moment.frame, timeUs: moment.timeUs, moment)
    }

    /// The hand leaves: the candidate needs no movement after it.
    mutating func commitLeaving(_ frame: UInt64, _ timeUs: UInt64) -> LetterUpdate? {
        guard let passing = candidate, passing.highest >= tuning.passEvidence,
            passing.slowest <= tuning.valley * max(passing.speedBefore, tuning.stillSpeed)
        else { return nil }
        candidate = nil
        return commit(passing, frame: frame, timeUs: timeUs, nil)
    }

    private mutating func commit(
        _ shown: Candidate, frame: UInt64, timeUs: UInt64, _ moment: Moment?
    ) -> LetterUpdate? {
        guard let letter = Letter(index: shown.letter) else { return nil }
        let posterior = LetterScores(mean: mean, letter: letter, shared: tuning.groupShare)
        let commit = LetterCommit(
            letter: letter, confidence: posterior[shown.letter], alternatives: posterior.others(than: letter),
            posterior: posterior, firstFrame: shown.firstFrame, lastFrame: shown.lastFrame,
            startUs: shown.startUs, endUs: shown.endUs,
            kind: held?.letter == shown.letter ? .repeated : .hold, replaces: 0)
        return append(commit, frame, timeUs, moment)
    }

    /// Appends a letter that was drawn, and withdraws what its beginning and its middle were taken for.
    mutating func commit(_ drawn: MotionTrail.Found, _ moment: Moment) -> LetterUpdate? {
        // What is left of a path that was recognised early is not the letter once more.
        if let held, held.letter == drawn.letter.index, moment.timeUs < held.sinceUs &+ Self.redrawUs {
            return nil
        }
        var replaces = 0
        for before in recent.reversed() {
            // What began after the path is part of it; the letter before that is the shape that was held to draw.
            let isInside = before.startUs >= drawn.startUs
            guard isInside || StrokeShape.beginnings(of: drawn.letter).contains(before.letter) else { break }
            replaces += 1
            if !isInside { break }
        }
        recent.removeLast(replaces)
        var weights = LetterNumbers()
        weights[drawn.letter.index] = drawn.likeness
        // What else it may be: the shape without the path.
        let rest = 1 - drawn.likeness
        for (place, index) in StrokeShape.beginnings(of: drawn.letter).enumerated() {
            weights[index] = rest * (place == 0 ? 0.7 : 0.15)
        }
        let posterior = LetterScores(mean: weights, letter: drawn.letter, shared: tuning.groupShare)
        let commit = LetterCommit(
            letter: drawn.letter, confidence: posterior[drawn.letter.index],
            alternatives: posterior.others(than: drawn.letter), posterior: posterior,
            firstFrame: drawn.startFrame, lastFrame: moment.frame, startUs: drawn.startUs,
            endUs: moment.timeUs,
            kind: .motion, replaces: replaces)
        trail.clear()
        candidate = nil
        return append(commit, moment.frame, moment.timeUs, moment)
    }

    private mutating func append(
        _ commit: LetterCommit, _ frame: UInt64, _ timeUs: UInt64, _ moment: Moment?
    ) -> LetterUpdate {
        let isWritten = write(commit.letter, replaces: commit.replaces)
        if recent.count >= RecentLetter.maxCount { recent.removeFirst() }
        recent.append(
            RecentLetter(letter: commit.letter.index, startUs: commit.startUs))
        evidence = LetterNumbers()
        let stands = moment.map { pace(of: $0.motion) < 0.75 } ?? false
        held = HeldLetter(letter: commit.letter.index, sinceUs: timeUs, hasSettled: stands)
        peakSpeed = 0
        restUs = 0
        return LetterUpdate(
            state: isWritten ? .committed : .textFull, letter: commit.letter, confidence: commit.confidence,
            alternatives: LikelyLetters(commit.alternatives), holdProgress: 1, text: text.text,
            firstFrame: commit.firstFrame,
            lastFrame: frame, commit: isWritten ? commit : nil,
            letterProbability: moment?.scores.letterProbability ?? 0)
    }

    /// The update of a frame that commits nothing.
    func show(_ state: LetterUpdate.State, _ scores: LetterScores?, _ frame: UInt64) -> LetterUpdate {
        let top = scores?.top() ?? LikelyLetters()
        let shown = state == .noHand || state == .space || state == .phraseEnd ? nil : candidate.map(\.letter)
        let letter =
            state == .partial ? (shown ?? held?.letter).flatMap { Letter(index: $0) } : top.first?.letter
        let progress = shown.map { min(1, evidence[$0] / tuning.holdEvidence) } ?? 0
        return LetterUpdate(
            state: state, letter: state == .space ? nil : letter,
            confidence: letter.flatMap { scores?[$0.index] } ?? 0, alternatives: top, holdProgress: progress,
            text: text.text, firstFrame: candidate?.firstFrame ?? frame, lastFrame: frame,
            letterProbability: scores?.letterProbability ?? 0)
    }
}

extension LetterScores {
    /// The likeliest letters beside `letter`, best first; what has no probability is left out.
    func others(than letter: Letter) -> [LetterCandidate] {
        Array(
            top(BridgeAILimits.maxAlternatives + 1).lazy.filter { $0.letter != letter && $0.probability > 0 }
                .prefix(BridgeAILimits.maxAlternatives))
    }
}

extension StrokeShape {
    /// The letters that the beginning of a drawn letter is taken for, likeliest first.
    static func beginnings(of letter: Letter) -> [Int] {
        letter.index == 9 ? [8, 24] : [3, 23, 6, 11]
    }
}
