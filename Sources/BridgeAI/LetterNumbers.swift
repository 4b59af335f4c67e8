/// One number for each letter, in place.
struct LetterNumbers: Equatable, Sendable {
    private(set) var numbers = InlineArray<26, Float>(repeating: 0)

    subscript(index: Int) -> Float {
        get { numbers[index] }
        set { numbers[index] = newValue }
    }

    static func == (left: LetterNumbers, right: LetterNumbers) -> Bool {
        for index in 0..<Letter.count where left[index] != right[index] { return false }
        return true
    }
}
