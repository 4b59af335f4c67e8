import SignalProcessing
import TestSupport
import Testing

@testable import QuietAlert

@Suite struct ChirpTests {
    /// The beeps of 3.1 kHz that are chirps in 2.6 s of sound, by the frame in which they begin.
    private func chirps(in samples: [Float]) -> Set<Int> {
        var spectrum = ShortTimeSpectrum(
            size: TonalHistory.frameSamples, hopSamples: TonalHistory.hopSamples,
            lastBin: TonalHistory.lastBin)
        var history = TonalHistory()
        var found: Set<Int> = []
        let channels = TonalHistory.bins.indices.filter { (71...73).contains(TonalHistory.bins[$0]) }
        spectrum.append(samples)
        while let powers = spectrum.next() {
            history.append(powers: powers)
            let edge = history.frameCount - PulseTemplate.shortDelay
            for channel in channels where history.edges(at: edge) >> UInt64(channel) & 1 == 1 {
                let chirp = Chirp(history, channel: channel, edge: edge, now: history.frameCount)
                if let chirp { found.insert(chirp.startFrame) }
            }
        }
        return found
    }

    /// However a beep lies within the frames, which are 20 ms apart and 23 ms long.
    @Test(arguments: [0.03, 0.05, 0.1, 0.19])
    func everyAlignment(seconds: Double) {
        let noise = AlarmBackground.pink.samples(seconds: 2.6, seed: 21)
        for shift in stride(from: 0.0, to: 0.02, by: 0.0025) {
            let beep = AlarmSignals.beeps(
                .periodic(on: seconds, off: 9), frequencyHz: 3_100, seconds: 2.6, delay: 1 + shift)
            let frames = chirps(in: zip(beep, noise).map { 0.1 * $0 + 0.003 * $1 })
            #expect(!frames.isEmpty, "\(shift) s")
            #expect(frames.allSatisfy { abs(Double($0) * 0.02 + 0.012 - 1 - shift) < 0.03 }, "\(shift) s")
        }
    }

    @Test(arguments: [0.26, 0.5])
    func longerBeepsAreNone(seconds: Double) {
        let beep = AlarmSignals.beeps(
            .periodic(on: seconds, off: 9), frequencyHz: 3_100, seconds: 2.6, delay: 1)
        let noise = AlarmBackground.pink.samples(seconds: 2.6, seed: 21)
        #expect(chirps(in: zip(beep, noise).map { 0.1 * $0 + 0.003 * $1 }).isEmpty)
    }
}
