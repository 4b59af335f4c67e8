import Numerics
import SignalProcessing
import Testing

@Suite struct FFTTests {
    @Test(arguments: [4, 8, 64, 256])
    func matchesTheDefinition(size: Int) {
        let input = Signals.noise(count: size, seed: UInt64(size), amplitude: 1)
        var fft = FFT(size: size)
        let (real, imaginary) = fft.spectrum(input)
        var powers: [Float] = []
        fft.powerSpectrum(input, into: &powers)
        for k in 0...(size / 2) {
            var re = 0.0
            var im = 0.0
            for (n, x) in input.enumerated() {
                let angle = -2 * Double.pi * Double(k * n % size) / Double(size)
                re += Double(x) * Elementary.cos(angle)
                im += Double(x) * Elementary.sin(angle)
            }
            #expect(abs(Double(real[k]) - re) < 1e-4 && abs(Double(imaginary[k]) - im) < 1e-4)
            #expect(abs(Double(powers[k]) - re * re - im * im) < 1e-3)
        }
    }

    @Test func aSineReadsItsSquaredAmplitude() throws {
        var spectrum = ShortTimeSpectrum(size: 512, hopSamples: 256)
        spectrum.append(Signals.sine(22_050 * 72 / 512, rateHz: 22_050, count: 600, amplitude: 0.5))
        let frame = spectrum.next()
        let powers = try #require(frame)
        #expect(abs(powers[72] - 0.25) < 1e-3 && powers[80] < 1e-6)
        #expect(spectrum.next() == nil)
    }

    @Test func anyCutGivesTheSameFrames() {
        let input = Signals.noise(count: 5_000, seed: 1)
        var whole = ShortTimeSpectrum(size: 64, hopSamples: 48)
        whole.append(input)
        var expected: [[Float]] = []
        while let powers = whole.next() { expected.append(powers) }
        var cut = ShortTimeSpectrum(size: 64, hopSamples: 48)
        var frames: [[Float]] = []
        for piece in Signals.cut(input, longest: 200, seed: 2) {
            cut.append(piece)
            while let powers = cut.next() { frames.append(powers) }
        }
        #expect(frames == expected && frames.count == 103)
    }

    @Test func goertzelMeasuresOneFrequency() {
        let tone = Signals.sine(1_000, rateHz: 8_000, count: 800, amplitude: 0.5)
        #expect(abs(Goertzel(frequencyHz: 1_000, sampleRateHz: 8_000).power(tone) - 0.25) < 1e-6)
        #expect(Goertzel(frequencyHz: 2_000, sampleRateHz: 8_000).power(tone) < 1e-9)
        #expect(Goertzel(frequencyHz: 2_000, sampleRateHz: 8_000).power([]) == 0)
    }

    @Test func bandsSumTheirBins() {
        let bands = BandEnergy(bandsHz: [0...99, 100...300, 5_000...9_000], size: 80, sampleRateHz: 8_000)
        #expect(bands.bins == [0...0, 1...3, 40...40])
        #expect(bands.energies(of: (0...40).map(Float.init)) == [0, 6, 40])
        #expect(bands.energies(of: [1, 1]) == [1, 1, 0])
    }
}
