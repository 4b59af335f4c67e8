import Numerics
import QuietAlert
import TestSupport
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
        let kind = AlarmBackground.allCases[sounder % 4]
        let signal = AlarmSignals.beeps(
            .three(unit: 0.5 * scale), frequencyHz: hz, tone: tone, seconds: 8, delay: 1)
        let background = kind.samples(seconds: 8, seed: UInt64(sounder))
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
        let kind = AlarmBackground.allCases[sounder % 4]
        let signal = AlarmSignals.beeps(.four(), frequencyHz: hz, tone: tone, seconds: 9, delay: 1)
        let background = kind.samples(seconds: 9, seed: UInt64(sounder))
        let outcome = run(AlarmSignals.mix(signal, over: background, snrDecibels: 10))
        #expect(try #require(outcome.suspectedAt) <= 1 + 2)
        // Less than a second after the last pulse of the second group, which begins at 6.3 s.
        #expect(try #require(outcome.confirmedAt) <= 1 + 7.3)
        #expect(outcome.confirmed.map(\.pattern) == [.four])
        #expect(outcome.confirmed[0].pattern.label == .coAlarm)
    }

    @Test func longPausesOfACarbonMonoxideAlarm() {
        let signal = AlarmSignals.beeps(.four(pause: 9), frequencyHz: 3_200, seconds: 24, delay: 1)
        let background = AlarmBackground.pink.samples(seconds: 24, seed: 1)
        let outcome = run(AlarmSignals.mix(signal, over: background, snrDecibels: 10), chunk: 22_050)
        #expect(outcome.confirmed.map(\.pattern) == [.four])
    }

    /// A chime whose notes have the rhythm of T4 and an overtone where sounders are: its fundamental gives it away.
    @Test(arguments: [false, true])
    func anOvertoneIsNoSounder(hasToneBelow: Bool) {
        func notes(_ hz: Double) -> [Float] {
            AlarmSignals.beeps(.four(), frequencyHz: hz, seconds: 8.6, delay: 1, decay: 3)
        }
        let signal = zip(notes(3_486), notes(581)).map { $0 + (hasToneBelow ? 2 * $1 : 0) }
        let background = AlarmBackground.pink.samples(seconds: 8.6, seed: 24)
        let outcome = run(AlarmSignals.mix(signal, over: background, snrDecibels: 20))
        #expect(outcome.confirmed.map(\.pattern) == (hasToneBelow ? [] : [.four]))
    }

    /// One of the first two groups is half covered: by a crash (then it is made out), or it is half missing (then it
    /// is none). There is no third group within these 9.8 s.
    @Test(arguments: [(0, true), (1, true), (0, false), (1, false)])
    func whatIsLeftOfAGroupConfirmsAWholeOne(damaged: Int, isCovered: Bool) {
        let first = damaged * 4 + (damaged == 0 ? 0 : 2)
        let signal = AlarmSignals.beeps(
            .four(), frequencyHz: 3_200, seconds: 9.8, delay: 1, missing: isCovered ? [] : [first, first + 1])
        var mixed = AlarmSignals.mix(
            signal, over: AlarmBackground.pink.samples(seconds: 9.8, seed: 22), snrDecibels: 10)
        if isCovered {
            let crash = AlarmBackground.white.samples(seconds: 0.3, seed: 23)
            let start = Int((1 + Double(damaged) * 5.7 + (damaged == 0 ? 0 : 0.4)) * 22_050)
            for i in crash.indices { mixed[start + i] += 0.5 * crash[i] }
        }
        #expect(run(mixed).confirmed.map(\.pattern) == (isCovered ? [.four] : []))
    }

    @Test func aWholeAlarmIsOneEpisodeAndEnds() {
        let signal = AlarmSignals.beeps(
            .three(), frequencyHz: 3_100, seconds: 34, delay: 1, missing: [7], maxCount: 12)
        let background = AlarmBackground.white.samples(seconds: 34, seed: 2)
        let outcome = run(AlarmSignals.mix(signal, over: background, snrDecibels: 3), chunk: 22_050)
        #expect(outcome.confirmed.count == 1 && outcome.ended.count == 1)
        #expect(outcome.ended.first?.number == outcome.confirmed.first?.number)
    }

    @Test func loudnessDoesNotMatter() {
        let signal = AlarmSignals.beeps(.three(), frequencyHz: 3_100, seconds: 8, delay: 1)
        let background = AlarmBackground.pink.samples(seconds: 8, seed: 3)
        for level in [0.0003, 0.9] as [Float] {
            #expect(
                run(AlarmSignals.mix(signal, over: background, snrDecibels: 6, level: level)).confirmed.count
                    == 1)
        }
    }

    @Test func clippingDriftAndReverberation() {
        let background = AlarmBackground.white.samples(seconds: 8, seed: 4)
        let plain = AlarmSignals.beeps(
            .three(), frequencyHz: 3_100, tone: .rich, seconds: 8, delay: 1, driftPerSecond: 0.002)
        let mixed = AlarmSignals.mix(plain, over: background, snrDecibels: 6, level: 1)
        #expect(run(mixed.map { max(-0.4, min(0.4, $0)) }).confirmed.count == 1)
        let room = AlarmSignals.reverberated(plain, seconds: 0.6, tail: 0.7, seed: 5)
        #expect(run(AlarmSignals.mix(room, over: background, snrDecibels: 10)).confirmed.count == 1)
    }

    @Test func anAlarmThatFollowsLouderSoundIsConfirmedInTime() throws {
        let shout = AlarmSignals.beeps(
            .periodic(on: 0.4, off: 60), frequencyHz: 3_110, seconds: 8, delay: 1, maxCount: 1)
        let alarm = AlarmSignals.beeps(.three(), frequencyHz: 3_100, seconds: 8, delay: 1.6)
        let signal = zip(shout, alarm).map { 8 * $0 + $1 }
        let background = AlarmBackground.pink.samples(seconds: 8, seed: 15)
        let outcome = run(AlarmSignals.mix(signal, over: background, snrDecibels: 10))
        #expect(outcome.confirmed.map(\.pattern) == [.three])
        #expect(try #require(outcome.confirmedAt) <= 1.6 + 6)
    }

    /// Outside 520 Hz ± 10 % and 2.3…4 kHz there are no sounders; just inside there are.
    @Test(arguments: [(600, 0), (565, 1), (2_150, 0), (2_310, 1), (3_990, 1), (4_200, 0)])
    func onlyWhereSoundersAre(hz: Int, confirmed: Int) {
        let tone: AlarmSignals.Tone = confirmed == 1 && hz < 1_000 ? .square : .sine
        let signal = AlarmSignals.beeps(
            .three(), frequencyHz: Double(hz), tone: tone, seconds: 7.5, delay: 1)
        let background = AlarmBackground.pink.samples(seconds: 7.5, seed: 16)
        let outcome = run(AlarmSignals.mix(signal, over: background, snrDecibels: 15))
        #expect(outcome.confirmed.count == confirmed)
    }

    /// Rounding to 16 bits makes tones of its own of up to half a step; an alarm of three steps is one.
    @Test(arguments: [(1.2e-5, 0), (1e-4, 1)])
    func tonesOfRoundingAreNoAlarm(amplitude: Double, confirmed: Int) {
        let signal = AlarmSignals.beeps(.three(), frequencyHz: 3_100, seconds: 7.5, delay: 1)
        #expect(run(signal.map { $0 * Float(amplitude) }).confirmed.count == confirmed)
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
        let background = AlarmBackground.pink.samples(seconds: 14, seed: UInt64(kind))
        #expect(run(AlarmSignals.mix(signal, over: background, snrDecibels: 15)).confirmed.isEmpty, "\(name)")
    }

    @Test(arguments: [AlarmBackground.speech, .music, .white])
    func backgroundsAreNotConfirmed(kind: AlarmBackground) {
        let samples = kind.samples(seconds: 12, seed: 77).map { $0 * 0.1 }
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

    /// A slice of what `ops/bench-alarms` hears by the thousand.
    @Test(arguments: 0..<12)
    func generatedAlarmsAreConfirmedInTime(number: Int) throws {
        let scene = AlarmCase(seed: 11, number: number)
        let outcome = run(scene.samples(snrDecibels: 3))
        let pattern: AlarmPattern = scene.isSmoke ? .three : .four
        #expect(outcome.confirmed.map(\.pattern) == [pattern], "\(scene)")
        #expect(outcome.confirmedAt ?? .infinity <= scene.onsetSeconds + scene.confirmedWithin, "\(scene)")
        if let limit = scene.suspectedWithin {
            #expect(outcome.suspectedAt ?? .infinity <= scene.onsetSeconds + limit, "\(scene)")
        }
    }

    @Test(arguments: AlarmLookalike.allCases)
    func generatedLookalikesAreNotConfirmed(kind: AlarmLookalike) {
        let samples = kind.samples(seconds: 18, seed: 5).map { $0 * 0.1 }
        let ground = AlarmBackground.pink.samples(seconds: 18, seed: 6).map { $0 * 0.003 }
        #expect(run(zip(samples, ground).map(+), chunk: 22_050).confirmed.isEmpty)
    }

    @Test func aSilentBeepDelaysConfirmationUntilTwoGroupsAreHeard() throws {
        // Without its third beep the pattern is that of a doorbell for two groups: only the next group tells.
        let signal = AlarmSignals.beeps(.three(), frequencyHz: 3_000, seconds: 10, delay: 1, missing: [2])
        let background = AlarmBackground.pink.samples(seconds: 10, seed: 12)
        let outcome = run(AlarmSignals.mix(signal, over: background, snrDecibels: 10))
        let confirmedAt = try #require(outcome.confirmedAt)
        #expect(confirmedAt > 1 + 6.5 && confirmedAt <= 1 + 8.5)
    }

    @Test func aSuspicionIsConfirmedByItsOwnSounderOnly() throws {
        // Two beeps of something, then an alarm at another frequency.
        let beeps = AlarmSignals.beeps(
            .periodic(on: 0.5, off: 0.5), frequencyHz: 2_756, seconds: 10, delay: 0.6, maxCount: 2)
        let alarm = AlarmSignals.beeps(.three(), frequencyHz: 2_282, seconds: 10, delay: 3.3)
        let signal = zip(beeps, alarm).map(+)
        let background = AlarmBackground.pink.samples(seconds: 10, seed: 13)
        var detector = AlarmPatternDetector()
        let events = detector.push(AlarmSignals.mix(signal, over: background, snrDecibels: 10))
        let suspected = events.compactMap { if case .suspected(let episode) = $0 { episode } else { nil } }
        let confirmed = events.compactMap { if case .confirmed(let episode) = $0 { episode } else { nil } }
        #expect(suspected.count == 2 && confirmed.count == 1)
        let alert = try #require(confirmed.first)
        #expect(abs(alert.frequencyHz - 2_282) < 20 && alert.number == suspected.last?.number)
        #expect(abs(Double(alert.onsetSampleIndex) / 22_050 - 3.3) < 0.15)
        #expect(
            events.contains {
                if case .ended(let episode) = $0 { episode.number == suspected[0].number } else { false }
            })
    }

    @Test func threeEvenChirpsAreALowBattery() {
        let rhythm = AlarmSignals.Rhythm.periodic(on: 0.08, off: 29.92)
        // Between two channels, so that both hear it.
        let signal = AlarmSignals.beeps(rhythm, frequencyHz: 2_864, seconds: 63, delay: 1.5)
        let background = AlarmBackground.pink.samples(seconds: 63, seed: 14)
        let outcome = run(AlarmSignals.mix(signal, over: background, snrDecibels: 10), chunk: 22_050)
        #expect(outcome.confirmed.map(\.pattern) == [.lowBattery])
        #expect(outcome.confirmed.first?.pattern.label == .lowBatteryChirp)
        #expect(outcome.suspectedAt == outcome.confirmedAt)
    }

    @Test func unevenChirpsAreNothing() {
        let rhythm = AlarmSignals.Rhythm(steps: [(0.08, 33), (0.08, 29), (0.08, 33)])
        let signal = AlarmSignals.beeps(rhythm, frequencyHz: 3_150, seconds: 66, delay: 1.5)
        let background = AlarmBackground.pink.samples(seconds: 66, seed: 14)
        let outcome = run(AlarmSignals.mix(signal, over: background, snrDecibels: 10), chunk: 22_050)
        #expect(outcome.confirmed.isEmpty)
    }

    @Test func anyCutGivesTheSameEvents() {
        let signal = AlarmSignals.beeps(.three(), frequencyHz: 3_100, seconds: 8, delay: 0.7)
        let mixed = AlarmSignals.mix(
            signal, over: AlarmBackground.white.samples(seconds: 8, seed: 8), snrDecibels: 6)
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
