import Numerics
import SignalProcessing
import Testing

@Suite struct DownmixTests {
    private func interleave(_ channels: [[Float]]) -> [Float] {
        (channels.first ?? []).indices.flatMap { i in channels.map { $0[i] } }
    }

    private func level(_ samples: some Collection<Float>, over reference: [Float]) -> Double {
        Signals.decibels(Signals.rms(samples) / Signals.rms(reference))
    }

    @Test(arguments: [520.0, 3_100.0])
    func oppositePhaseDoesNotCancel(frequency: Double) {
        let tone = Signals.sine(frequency, rateHz: 48_000, count: 48_000, amplitude: 0.3)
        var mixer = Downmix(sampleRateHz: 48_000, channels: 2)
        let output = mixer.process(interleave([tone, tone.map { -$0 }]))
        #expect(abs(level(output[4_800...], over: tone)) < 1)
    }

    @Test func equalChannelsStayAsTheyAre() {
        let tone = Signals.sine(1_000, rateHz: 48_000, count: 48_000, amplitude: 0.3)
        var mixer = Downmix(sampleRateHz: 48_000, channels: 3)
        let output = mixer.process(interleave([tone, tone, tone]))
        #expect(abs(level(output[9_600...], over: tone)) < 0.5)
    }

    @Test(arguments: [2, 8, 32])
    func oneChannelAmongSilentOnesKeepsItsLevel(channels: Int) {
        let tone = Signals.sine(3_100, rateHz: 16_000, count: 16_000, amplitude: 0.2)
        let silence = [Float](repeating: 0, count: tone.count)
        var mixer = Downmix(sampleRateHz: 16_000, channels: channels)
        let output = mixer.process(interleave((0..<channels).map { $0 == channels - 1 ? tone : silence }))
        #expect(abs(level(output[8_000...], over: tone)) < 0.5)
    }

    @Test func anAlarmInTheRightSurvivesLouderSpeechInTheLeft() {
        let alarm = Signals.sine(3_100, rateHz: 48_000, count: 96_000, amplitude: 0.1)
        let voice = Signals.sine(200, rateHz: 48_000, count: 96_000, amplitude: 0.5)
        var mixer = Downmix(sampleRateHz: 48_000, channels: 2)
        let output = mixer.process(interleave([voice, alarm]))
        let heard = Goertzel(frequencyHz: 3_100, sampleRateHz: 48_000).power(Array(output[48_000...]))
        #expect(Signals.decibels(heard.squareRoot() / 0.1) > -3)
    }

    @Test func signsTurnWithoutAClick() {
        let tone = Signals.sine(440, rateHz: 48_000, count: 96_000, amplitude: 0.3)
        let turned = tone.enumerated().map { $0.offset < 48_000 ? $0.element : -$0.element }
        var mixer = Downmix(sampleRateHz: 48_000, channels: 2)
        let output = mixer.process(interleave([tone, turned]))
        // A tone of 440 Hz moves by 0.3 · 2π · 440 / 48,000 = 0.017 per sample; the input itself jumps in one channel
        // at most at a zero crossing here.
        let steps = zip(output, output.dropFirst()).map { abs($1 - $0) }
        #expect((steps.max() ?? 9) < 0.04)
        #expect(abs(level(output[60_000...], over: tone)) < 1)
    }

    @Test(arguments: [1, 2])
    func dcIsRemoved(channels: Int) {
        let tone = Signals.sine(1_000, rateHz: 8_000, count: 16_000, amplitude: 0.01).map { $0 + 0.5 }
        var mixer = Downmix(sampleRateHz: 8_000, channels: channels)
        let output = mixer.process(interleave((0..<channels).map { _ in tone }))
        let mean = output[8_000...].reduce(0, +) / 8_000
        #expect(abs(mean) < 1e-3)
        #expect(abs(Signals.rms(output[8_000...]) - 0.00707) < 0.001)
    }

    @Test(arguments: [1, 2, 5])
    func anyCutGivesTheSameSamples(channels: Int) {
        let input = Signals.noise(count: 20_000 * channels, seed: 5)
        var whole = Downmix(sampleRateHz: 44_100, channels: channels)
        let expected = whole.process(input)
        var cut = Downmix(sampleRateHz: 44_100, channels: channels)
        let output = Signals.cut(input, longest: 3_000, seed: 6, multipleOf: channels).flatMap {
            cut.process($0)
        }
        #expect(output == expected)
    }
}
