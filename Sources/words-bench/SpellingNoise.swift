import BridgeAI
import Numerics

/// What goes wrong between the shown letters and the written ones, besides the network's own errors.
struct SpellingNoise {
    var name: String
    /// Probability that a letter is not written.
    var missed = 0.0
    /// Probability that the second of two equal letters is not written.
    var missedRepeat = 0.0
    /// Probability of a letter that nobody showed, between two others.
    var ghost = 0.0
    /// Frames that a letter is seen for.
    var frames = 6
    /// Spread of what each frame adds to each logit.
    var jitter = 0.0

    static let clean = SpellingNoise(name: "confusions alone")
    static let usual = SpellingNoise(
        name: "and 4 % missed, 20 % of doubles, 3 % ghosts", missed: 0.04, missedRepeat: 0.2, ghost: 0.03)
    static let fast = SpellingNoise(
        name: "and 6 % missed, 40 % of doubles, 5 % ghosts, 2 frames, noisy", missed: 0.06, missedRepeat: 0.4,
        ghost: 0.05, frames: 2, jitter: 1)

    /// What is written when `signer` spells `word`.
    func spell(_ word: [Letter], by signer: Signer, _ random: inout SeededNoise) -> [SpelledLetter] {
        var written: [SpelledLetter] = []
        for (place, letter) in word.enumerated() {
            let repeats = place > 0 && word[place - 1] == letter
            if place > 0, random.uniform() < ghost {
                // Between two letters the hand looks like neither: half of one, half of any frame of the person.
                let other = signer.frames[Int(random.next() % UInt64(Letter.count))]
                if let stray = other.randomElement(using: &random) {
                    let before = evidence(word[place - 1], signer, &random)
                    written += commit(zip(stray, before).map { 0.6 * $0 + 0.4 * $1 })
                }
            }
            if random.uniform() < (repeats ? missedRepeat : missed) { continue }
            written += commit(evidence(letter, signer, &random))
        }
        return written
    }

    /// Mean probabilities over a run of frames.
    private func evidence(_ letter: Letter, _ signer: Signer, _ random: inout SeededNoise) -> [Float] {
        let all = signer.frames[letter.index]
        let count = min(frames, all.count)
        let first = Int(random.next() % UInt64(max(1, all.count - count + 1)))
        var mean = [Float](repeating: 0, count: Letter.count)
        for frame in all[first..<first + count] {
            let noisy = frame.map { value in
                let logit = Elementary.log(Double(max(value, 1e-6)))
                return Float(logit + (jitter > 0 ? jitter * random.gaussian() : 0))
            }
            for (index, value) in Elementary.softmax(noisy).enumerated() {
                mean[index] += value / Float(count)
            }
        }
        return mean
    }

    /// The best letter with its three alternatives.
    private func commit(_ probabilities: [Float]) -> [SpelledLetter] {
        guard let scores = try? LetterScores(probabilities: probabilities.map { min(1, $0) }) else {
            return []
        }
        let top = scores.top(1 + BridgeAILimits.maxAlternatives)
        return top.first.map {
            [
                SpelledLetter(
                    letter: $0.letter, confidence: $0.probability, alternatives: Array(top.dropFirst()))
            ]
        } ?? []
    }
}
