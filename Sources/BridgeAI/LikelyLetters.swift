/// The likeliest letters of one frame, best first, at most `capacity`: held in place, since one comes with each frame.
public struct LikelyLetters: RandomAccessCollection, Equatable, Sendable {
    /// Letters that fit: those shown, and the one that they are alternatives to.
    public static let capacity = BridgeAILimits.maxAlternatives + 1

    // 4 = capacity.
    private var letters = InlineArray<4, UInt8>(repeating: 0)
    private var probabilities = InlineArray<4, Float>(repeating: 0)
    /// How many there are.
    public private(set) var endIndex = 0

    /// None.
    public init() {}

    /// The first `capacity` of `candidates`, in their order.
    public init(_ candidates: some Sequence<LetterCandidate>) {
        for candidate in candidates.prefix(Self.capacity) {
            letters[endIndex] = UInt8(candidate.letter.index)
            probabilities[endIndex] = candidate.probability
            endIndex += 1
        }
    }

    /// Always 0.
    public var startIndex: Int { 0 }

    /// The letter of rank `position`, 0 is the likeliest.
    public subscript(position: Int) -> LetterCandidate {
        precondition(position < endIndex, "there are \(endIndex) letters")
        return LetterCandidate(
            letter: Letter(known: Int(letters[position])), probability: probabilities[position])
    }

    /// Puts a letter in its place among the best `limit`; equal ones keep the order in which they came.
    mutating func offer(_ letter: Letter, _ probability: Float, limit: Int) {
        var place = endIndex
        while place > 0, probabilities[place - 1] < probability { place -= 1 }
        guard place < Swift.min(limit, Self.capacity) else { return }
        if endIndex < Swift.min(limit, Self.capacity) { endIndex += 1 }
        var free = endIndex - 1
        while free > place {
            letters[free] = letters[free - 1]
            probabilities[free] = probabilities[free - 1]
            free -= 1
        }
        letters[place] = UInt8(letter.index)
        probabilities[place] = probability
    }

    /// The same letters with the same probabilities.
    public static func == (left: LikelyLetters, right: LikelyLetters) -> Bool { left.elementsEqual(right) }
}
