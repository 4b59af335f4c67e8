import Numerics

/// What was learned of one person's way to form the letters: a linear correction of the network's 26 scores.
///
/// score'(c) = ln p(c) + Σ weight(c, k) · f(k) + bias(c), where f(k) = max(ln p(k), −6) + 6 says how much a frame looks
/// like letter k; then softmax. 702 numbers. They hold how this person's letters are confused and nothing from which
/// a hand could be drawn.
public struct PersonalAdaptation: Equatable, Sendable {
    /// Scores below this (0.25 %) say nothing: the network is only guessing there.
    static let floor: Float = -6
    /// Largest weight and bias. What honest samples teach stays below 2; the bound keeps a damaged setting from
    /// silencing a letter for good.
    public static let maxMagnitude: Float = 8
    /// Bytes of the stored form: one of version, then 702 little-endian binary32.
    public static let byteCount = 1 + 4 * (Letter.count * Letter.count + Letter.count)

    /// `[26 x 26]`, row-major: the letter corrected, the letter it looks like.
    let weights: [Float]
    /// `[26]`.
    let bias: [Float]

    /// Takes what was learned; values beyond `maxMagnitude` are cut off.
    init(weights: [Float], bias: [Float]) {
        func bounded(_ value: Float) -> Float {
            value.isFinite ? min(Self.maxMagnitude, max(-Self.maxMagnitude, value)) : 0
        }
        self.weights = weights.map(bounded)
        self.bias = bias.map(bounded)
    }

    /// Reads the stored form; nil when it is none.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount, bytes.first == 1 else { return nil }
        var values: [Float] = []
        var rest = bytes.dropFirst()
        while !rest.isEmpty {
            var bits: UInt32 = 0
            for (place, byte) in rest.prefix(4).enumerated() { bits |= UInt32(byte) << (8 * UInt32(place)) }
            let value = Float(bitPattern: bits)
            guard value.isFinite, abs(value) <= Self.maxMagnitude else { return nil }
            values.append(value)
            rest = rest.dropFirst(4)
        }
        let square = Letter.count * Letter.count
        weights = Array(values[..<square])
        bias = Array(values[square...])
    }

    /// The stored form.
    public var bytes: [UInt8] {
        [1]
            + (weights + bias).flatMap { value in
                (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt32($0))) }
            }
    }

    /// The person's probabilities for a frame with these of the network; whether it shows a letter at all is left as
    /// it is.
    public func adapted(_ network: LetterScores) -> LetterScores {
        let numbers = adapted(network.probabilities)
        var personal = LetterScores(checked: InlineArray { numbers[$0] })
        personal.letterProbability = network.letterProbability
        return personal
    }

    /// The same for 26 bare numbers.
    func adapted(_ probabilities: [Float]) -> [Float] {
        let scores = Self.scores(probabilities)
        let features = Self.features(scores)
        return Elementary.softmax(
            (0..<Letter.count).map { row in
                var sum = scores[row] + bias[row]
                for column in 0..<Letter.count {
                    sum += weights[row * Letter.count + column] * features[column]
                }
                return sum
            })
    }

    static func scores(_ probabilities: [Float]) -> [Float] {
        probabilities.map { Float(Elementary.log(Double(max($0, 1e-9)))) }
    }

    static func features(_ scores: [Float]) -> [Float] { scores.map { max($0, floor) - floor } }
}
