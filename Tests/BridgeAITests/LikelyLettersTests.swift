import Testing

@testable import BridgeAI

@Suite struct LikelyLettersTests {
    @Test("ranks as a stable sort does", arguments: 0..<50)
    func ranks(seed: UInt64) {
        var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
        // Few different values, so that many are equal.
        let values = (0..<Letter.count).map { _ -> Float in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Float(state >> 61)
        }
        let sorted = values.enumerated().sorted { ($1.element, $0.offset) < ($0.element, $1.offset) }
        for limit in 0...LikelyLetters.capacity {
            var best = LikelyLetters()
            for (index, value) in values.enumerated() {
                best.offer(Letter(known: index), value, limit: limit)
            }
            #expect(best.map { $0.letter.index } == sorted.prefix(limit).map(\.offset))
            #expect(best.map { $0.probability } == sorted.prefix(limit).map(\.element))
        }
    }

    @Test func keepsAListThatFits() {
        let candidates = "SATEN".compactMap { Letter($0) }.map {
            LetterCandidate(letter: $0, probability: 0.2)
        }
        #expect(Array(LikelyLetters(candidates)) == Array(candidates.prefix(4)))
        #expect(LikelyLetters(candidates.prefix(2)) == LikelyLetters(candidates.prefix(2)))
        #expect(LikelyLetters(candidates.prefix(2)) != LikelyLetters(candidates.prefix(3)))
        #expect(LikelyLetters().isEmpty)
    }
}
