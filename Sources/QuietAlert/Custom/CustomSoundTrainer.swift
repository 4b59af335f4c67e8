import Numerics

/// Sets the threshold of a sound between how alike its own examples are and how alike strangers are to them.
public struct CustomSoundTrainer: Sendable {
    private let space: SoundSpace

    /// A trainer for one space.
    public init(_ space: SoundSpace) { self.space = space }

    /// The similarity from which on the sound is heard.
    ///
    /// Each example is judged by the others: the least alike of them says how far takes of this sound spread. An example
    /// that is less like the others than strangers are spoils the sound and is named.
    /// - Parameter examples: 3…10, of the space's width.
    public func threshold(for examples: [CustomSoundExample]) throws(CustomSoundProblem) -> Float {
        let strangers = examples.map { strangerSimilarity(to: $0) }
        let likeness = examples.indices.map { index in
            examples.indices.filter { $0 != index }.map { examples[index].similarity(to: examples[$0]) }.max()
                ?? -1
        }
        let needed = strangers.map { max($0 + space.rule.strangerMargin, space.rule.leastThreshold) }
        let unfit = examples.indices.filter { likeness[$0] < needed[$0] }
        let stranger = strangers.max() ?? -1
        guard unfit.count < examples.count, let lowest = likeness.min() else {
            throw .tooCommon(similarity: likeness.max() ?? -1, strangers: stranger)
        }
        if let worst = unfit.min(by: { likeness[$0] < likeness[$1] }) {
            throw .unlike(example: worst, similarity: likeness[worst], least: needed[worst])
        }
        let least = max(stranger + space.rule.strangerMargin, space.rule.leastThreshold)
        return max(least, lowest - space.rule.spreadShare * (lowest - stranger))
    }

    /// The greatest similarity of any stranger to any vector of an example.
    private func strangerSimilarity(to example: CustomSoundExample) -> Float {
        let width = space.width
        let bank = space.strangers.span
        var greatest: Float = -1
        for vector in example.vectors where vector.count == width {
            let vector = vector.span
            for row in 0..<(bank.count / width) {
                greatest = max(greatest, FloatKernels.dot(bank, at: row * width, vector, at: 0, count: width))
            }
        }
        return greatest
    }
}
