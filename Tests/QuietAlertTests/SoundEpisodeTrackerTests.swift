import Numerics
import QuietAlert
import Testing

@Suite struct SoundEpisodeTrackerTests {
    private static let hop: UInt64 = 11_025

    private func decision(_ sounds: [SoundLabel: Float], presence: Float = 3) -> SoundDecision {
        SoundDecision(
            presenceLogit: sounds.isEmpty ? -4 : presence,
            classLogits: SoundLabel.networkLabels.map { sounds[$0] ?? -6 })
    }

    private func end(_ window: Int) -> UInt64 { 22_050 + UInt64(window) * Self.hop }

    @Test func threeMinutesOfSirenAreOneEpisode() {
        var tracker = SoundEpisodeTracker()
        var started: [SoundEpisode] = []
        var ended: [SoundEpisode] = []
        var updates = 0
        for window in 0..<420 {
            let sounds = (20..<380).contains(window)
            for event in tracker.receive(decision(sounds ? [.siren: 5] : [:]), windowEnd: end(window)) {
                switch event {
                case .started(let episode): started.append(episode)
                case .updated: updates += 1
                case .ended(let episode): ended.append(episode)
                }
            }
        }
        #expect(started.count == 1 && ended.count == 1)
        #expect(started.first?.startSampleIndex == end(20) - Self.hop)
        #expect(ended.first?.lastHeardSampleIndex == end(379))
        #expect(ended.first?.windowCount == 360)
        #expect((15...18).contains(updates))
        #expect(tracker.runningEpisodes.isEmpty)
    }

    /// Seconds of start and end of a sound from 10 s to 40 s, decided on every `hop` samples.
    @Test(arguments: [5_000, 7_056, 11_025] as [UInt64]) func timesDoNotDependOnTheHop(hop: UInt64) throws {
        var tracker = SoundEpisodeTracker()
        var startedAt: UInt64?
        var ended: SoundEpisode?
        for end in stride(from: hop, through: 22_050 * 60, by: Int(hop)) {
            let sounds = (22_050 * 10..<22_050 * 40).contains(end)
            for event in tracker.receive(
                decision(sounds ? [.dog: 2, .siren: 1.7] : [:], presence: 0.6), windowEnd: end)
            {
                switch event {
                case .started: startedAt = startedAt ?? end
                case .ended(let episode): ended = episode
                case .updated: break
                }
            }
        }
        let heardAfter = Double(try #require(startedAt)) / 22_050 - 10
        #expect(heardAfter >= 0.3 && heardAfter <= 1.05)
        let episode = try #require(ended)
        #expect(abs(Double(episode.startSampleIndex) / 22_050 - 9.75) <= 0.26)
        #expect(abs(Double(episode.lastHeardSampleIndex) / 22_050 - 40) <= 0.51)
    }

    @Test func aDogThatPausesIsOneLine() {
        var tracker = SoundEpisodeTracker()
        var noise = SeededNoise(seed: 1)
        var starts = 0
        var window = 0
        while window < 1_200 {
            let barks = 2 + Int(noise.next() % 9)
            let pause = Int(noise.next() % 14)
            for i in 0..<(barks + pause) {
                let events = tracker.receive(
                    decision(i < barks ? [.dog: 4] : [:]), windowEnd: end(window + i))
                starts += events.filter { if case .started = $0 { true } else { false } }.count
            }
            window += barks + pause
        }
        #expect(starts == 1)
    }

    @Test func oneDoubtfulWindowIsNoAlertAndOneSureIs() {
        var tracker = SoundEpisodeTracker()
        #expect(
            tracker.receive(
                decision([.dog: 2, .siren: 1.9, .handSaw: 1.9], presence: 0.1), windowEnd: end(0)
            ).isEmpty)
        for window in 1..<6 { #expect(tracker.receive(decision([:]), windowEnd: end(window)).isEmpty) }
        #expect(tracker.receive(decision([.glassBreaking: 6], presence: 4), windowEnd: end(7)).count == 1)
    }

    @Test func severalSoundsRunSideBySide() {
        var tracker = SoundEpisodeTracker()
        for window in 0..<4 { _ = tracker.receive(decision([.dog: 5, .siren: 5]), windowEnd: end(window)) }
        #expect(Set(tracker.runningEpisodes.map(\.label)) == [.dog, .siren])
        #expect(tracker.finish().count == 2 && tracker.runningEpisodes.isEmpty)
    }

    @Test func weakWindowsKeepButDoNotStart() {
        var tracker = SoundEpisodeTracker()
        for window in 0..<100 {
            #expect(tracker.receive(decision([.siren: 5], presence: -0.5), windowEnd: end(window)).isEmpty)
        }
        _ = tracker.receive(decision([.siren: 5]), windowEnd: end(100))
        for window in 101..<200 {
            let events = tracker.receive(decision([.siren: 5], presence: -0.5), windowEnd: end(window))
            #expect(!events.contains { if case .ended = $0 { true } else { false } })
        }
        #expect(tracker.runningEpisodes.map(\.number) == [1])
    }

    @Test func oldWindowsAreIgnored() {
        var tracker = SoundEpisodeTracker()
        _ = tracker.receive(decision([.siren: 5]), windowEnd: end(5))
        #expect(tracker.receive(decision([.dog: 6]), windowEnd: end(5)).isEmpty)
        #expect(tracker.receive(decision([.dog: 6]), windowEnd: 0).isEmpty)
    }
}
