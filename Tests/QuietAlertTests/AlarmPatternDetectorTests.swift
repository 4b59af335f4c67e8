import Numerics
import QuietAlert
import Testing

@Suite struct AlarmPatternDetectorTests {
    private struct Outcome {
        var suspectedAt: Double?
        var confirmedAt: Double?
        var confirmed: [AlarmEpisode] = []
        var ended: [AlarmEpisode] = []
    }

    private func run(_ samples: [Float], chunk: Int = 2_205) -> Outcome {
        var detector = AlarmPatternDetector()
        var outcome = Outcome()
        var offset = 0
        while offset < samples.count {
            let n = min(chunk, samples.count - offset)
            let events = detector.push(Array(samples[offset..<(offset + n)]))
            offset += n
            let time = Double(offset) / 22_050
            for event in events {
                switch event {
                case .suspected: outcome.suspectedAt = outcome.suspectedAt ?? time
                case .confirmed(let episode):
                    outcome.suspectedAt = outcome.suspectedAt ?? time
                    outcome.confirmedAt = outcome.confirmedAt ?? time
                    outcome.confirmed.append(episode)
                case .ended(let episode): outcome.ended.append(episode)
                }
            }
        }
        return outcome
    }

    private static let sounders: [(hz: Double, tone: AlarmSignals.Tone)] = [
        (475, .square), (520, .square), (565, .square), (2_400, .sine), (3_100, .sine), (3_400, .rich),
        (3_900, .sine),
    ]

    @Test(arguments: 0..<7)
    func smokeIsSuspectedAndConfirmedInTime(sounder: Int) throws {
        let scale = sounder % 2 == 0 ? 0.94 : 1.06
        let (hz, tone) = Self.sounders[sounder]
        let kind = AlarmSignals.Background.allCases[sounder % 4]
        let signal = AlarmSignals.beeps(
            .three(unit: 0.5 * scale), frequencyHz: hz, tone: tone, seconds: 8, delay: 1)
        let background = AlarmSignals.background(kind, seconds: 8, seed: UInt64(sounder))
        let outcome = run(AlarmSignals.mix(signal, over: background, snrDecibels: 10, level: 0.05))
        #expect(try #require(outcome.suspectedAt) <= 1 + 2.05)
        #expect(try #require(outcome.confirmedAt) <= 1 + 6.1)
        let episode = try #require(outcome.confirmed.first)
        #expect(outcome.confirmed.count == 1 && episode.pattern == .three)
        #expect(episode.pattern.label == .smokeAlarm)
        #expect(abs(Double(episode.onsetSampleIndex) / 22_050 - 1) < 0.1)
    }

    @Test(arguments: 0..<7)
    func carbonMonoxideIsNotTakenForSmoke(sounder: Int) throws {
        let (hz, tone) = Self.sounders[sounder]
        let kind = AlarmSignals.Background.allCases[sounder % 4]
        let signal = AlarmSignals.beeps(.four(), frequencyHz: hz, tone: tone, seconds: 9, delay: 1)
        let background = AlarmSignals.background(kind, seconds: 9, seed: UInt64(sounder))
        let outcome = run(AlarmSignals.mix(signal, over: background, snrDecibels: 10))
        #expect(try #require(outcome.suspectedAt) <= 1 + 2)
        #expect(try #require(outcome.confirmedAt) <= 1 + 12)
        #expect(outcome.confirmed.map(\.pattern) == [.four])
        #expect(outcome.confirmed[0].pattern.label == .coAlarm)
    }

    @Test func longPausesOfACarbonMonoxideAlarm() {
        let signal = AlarmSignals.beeps(.four(pause: 9), frequencyHz: 3_200, seconds: 22, delay: 1)
        let background = AlarmSignals.background(.pink, seconds: 22, seed: 1)
        let outcome = run(AlarmSignals.mix(signal, over: background, snrDecibels: 10), chunk: 22_050)
        #expect(outcome.confirmed.map(\.pattern) == [.four])
    }

    @Test func aWholeAlarmIsOneEpisodeAndEnds() {
        let signal = AlarmSignals.beeps(
            .three(), frequencyHz: 3_100, seconds: 34, delay: 1, missing: [7], maxCount: 12)
        let background = AlarmSignals.background(.white, seconds: 34, seed: 2)
        let outcome = run(AlarmSignals.mix(signal, over: background, snrDecibels: 3), chunk: 22_050)
        #expect(outcome.confirmed.count == 1 && outcome.ended.count == 1)
        #expect(outcome.ended.first?.number == outcome.confirmed.first?.number)
    }

    @Test func loudnessDoesNotMatter() {
        let signal = AlarmSignals.beeps(.three(), frequencyHz: 3_100, seconds: 8, delay: 1)
        let background = AlarmSignals.background(.pink, seconds: 8, seed: 3)
        for level in [0.0003, 0.9] as [Float] {
            #expect(
                run(AlarmSignals.mix(signal, over: background, snrDecibels: 6, level: level)).confirmed.count
                    == 1)
        }
    }

    @Test func clippingDriftAndReverberation() {
        let background = AlarmSignals.background(.white, seconds: 8, seed: 4)
        let plain = AlarmSignals.beeps(
            .three(), frequencyHz: 3_100, tone: .rich, seconds: 8, delay: 1, driftPerSecond: 0.002)
        let mixed = AlarmSignals.mix(plain, over: background, snrDecibels: 6, level: 1)
        #expect(run(mixed.map { max(-0.4, min(0.4, $0)) }).confirmed.count == 1)
        let room = AlarmSignals.reverberated(plain, seconds: 0.6, tail: 0.7, seed: 5)
        #expect(run(AlarmSignals.mix(room, over: background, snrDecibels: 10)).confirmed.count == 1)
    }

    private static let lookalikes: [(name: String, rhythm: AlarmSignals.Rhythm)] = [
        ("reversing lorry", .periodic(on: 0.5, off: 0.5)),
        ("alarm clock, 1 Hz", .periodic(on: 0.25, off: 0.75)),
        ("alarm clock, groups of four", .init(steps: [(0.1, 0.1), (0.1, 0.1), (0.1, 0.1), (0.1, 0.7)])),
        ("telephone", .init(steps: [(0.4, 0.2), (0.4, 2.0)])),
        ("continuous tone", .periodic(on: 60, off: 0)),
        ("slow beeps", .periodic(on: 1, off: 1)),
    ]

    @Test(arguments: 0..<6)
    func lookalikesAreNotConfirmed(kind: Int) {
        let hz = kind % 2 == 0 ? 3_000.0 : 520
        let (name, rhythm) = Self.lookalikes[kind]
        let signal = AlarmSignals.beeps(rhythm, frequencyHz: hz, tone: .rich, seconds: 14, delay: 1)
        let background = AlarmSignals.background(.pink, seconds: 14, seed: UInt64(kind))
        #expect(run(AlarmSignals.mix(signal, over: background, snrDecibels: 15)).confirmed.isEmpty, "\(name)")
    }

    @Test(arguments: [AlarmSignals.Background.speech, .music, .white])
    func backgroundsAreNotConfirmed(kind: AlarmSignals.Background) {
        let samples = AlarmSignals.background(kind, seconds: 12, seed: 77).map { $0 * 0.1 }
        #expect(run(samples, chunk: 22_050).confirmed.isEmpty)
    }

    @Test func aGapInPeriodicBeepsIsNoLongPause() {
        let beeps = AlarmSignals.beeps(.periodic(on: 0.5, off: 0.5), frequencyHz: 3_000, seconds: 14)
        var detector = AlarmPatternDetector()
        var events: [AlarmEvent] = []
        // Every fourth beep is lost with its second of sound: 3 beeps, a gap, 3 beeps.
        for second in 0..<14 {
            let range = (second * 22_050)..<((second + 1) * 22_050)
            events += second % 4 == 3 ? detector.pushGap(22_050) : detector.push(Array(beeps[range]))
        }
        #expect(!events.contains { $0.episode.isConfirmed })
    }

    @Test func anyCutGivesTheSameEvents() {
        let signal = AlarmSignals.beeps(.three(), frequencyHz: 3_100, seconds: 8, delay: 0.7)
        let mixed = AlarmSignals.mix(
            signal, over: AlarmSignals.background(.white, seconds: 8, seed: 8), snrDecibels: 6)
        var whole = AlarmPatternDetector()
        let expected = whole.push(mixed)
        #expect(expected.count == 2)
        var noise = SeededNoise(seed: 1)
        var cut = AlarmPatternDetector()
        var events: [AlarmEvent] = []
        var offset = 0
        while offset < mixed.count {
            let n = min(mixed.count - offset, Int(noise.next() % 5_000))
            events += cut.push(Array(mixed[offset..<(offset + n)]))
            offset += n
        }
        #expect(events == expected)
    }

    @Test func longGapsAndSilenceAreCheapAndQuiet() {
        var detector = AlarmPatternDetector()
        #expect(detector.pushGap(.max / 4).isEmpty)
        #expect(detector.push([Float](repeating: 0, count: 44_100)).isEmpty)
        #expect(detector.finish().isEmpty)
    }
}
