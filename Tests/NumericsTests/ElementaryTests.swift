import Numerics
import Testing

@Suite struct ElementaryTests {
    @Test func knownValues() {
        #expect(abs(Elementary.sin(.pi / 6) - 0.5) < 1e-15)
        #expect(abs(Elementary.cos(.pi / 3) - 0.5) < 1e-15)
        #expect(abs(Elementary.exp(1) - 2.718281828459045) < 1e-15)
        #expect(Elementary.log10(1_000) == 3)
        #expect(Elementary.pow(2, 10) == 1_024)
        #expect(abs(Elementary.atan2(-1, -1) + 3 * .pi / 4) < 1e-15)
        #expect(abs(Elementary.tanh(0.5) - 0.46211715726000975) < 1e-15)
    }

    @Test func sigmoidAndSoftmaxDoNotOverflow() {
        #expect(Elementary.sigmoid(1_000) == 1)
        #expect(Elementary.sigmoid(-1_000) == 0)
        #expect(Elementary.sigmoid(0) == 0.5)
        #expect(Elementary.softmax([1_000, 1_000]) == [0.5, 0.5])
        #expect(Elementary.softmax([]) == [])
        let odds = Elementary.softmax([0, Float(Elementary.log(3))])
        #expect(abs(odds[1] - 0.75) < 1e-6)
    }

    @Test func decibelsHaveAFloor() {
        #expect(Decibels.fromPower(0) == -120)
        #expect(Decibels.fromPower(.nan) == -120)
        #expect(Decibels.fromPower(1) == 0)
        #expect(abs(Decibels.fromAmplitude(0.5) + 6.0206) < 1e-3)
        #expect(abs(Decibels.toAmplitude(-20) - 0.1) < 1e-12)
    }

    @Test(arguments: [0, 1, 7, 16, 31, 224])
    func dotMatchesTheSum(count: Int) {
        var noise = SeededNoise(seed: UInt64(count))
        let a = (0..<(count + 3)).map { _ in Float(noise.gaussian()) }
        let b = (0..<(count + 5)).map { _ in Float(noise.gaussian()) }
        let expected = (0..<count).reduce(0.0) { $0 + Double(a[$1 + 3]) * Double(b[$1 + 5]) }
        let got = FloatKernels.dot(a.span, at: 3, b.span, at: 5, count: count)
        #expect(abs(Double(got) - expected) < 1e-4)
    }
}
