import SenseProtocol
import SessionCore
import Testing

/// The way of a stream's steps through a network that answers at once, late, or never.
@Suite("Steps of sound through the network")
struct SoundScoringTests {
    private typealias Audio = SessionAudioTests
    private static let step: UInt64 = 7_056

    private func hum(_ t: Double) -> Double { 0.1 * (t * 440).truncatingRemainder(dividingBy: 1) }

    private func answer(
        _ script: inout SessionScript, _ job: SoundJob, presence: Float = -9, state: [Float]?
    ) {
        script.session.soundScored(
            job, classLogits: state == nil ? nil : [Float](repeating: 0, count: 9), presenceLogit: presence,
            state: state ?? [], at: script.now, actions: &script.actions)
    }

    private func scores(_ script: inout SessionScript) -> [SoundScores] {
        script.takeSent().compactMap { if case .soundScores(let scores) = $0 { scores } else { nil } }
    }

    private func health(_ script: SessionScript) -> [HealthState] {
        script.profileInputs.compactMap {
            if case .health(_, let faults) = $0 { faults.first?.state ?? .ok } else { nil }
        }
    }

    @Test("one step at a time, in order, each with the state of the one before")
    func inOrder() {
        var script = Audio.opened()
        var jobs: [SoundJob] = []
        for chunk in 0..<40 {
            Audio.stream(&script, from: Double(chunk) / 10, seconds: 0.1, answering: false, hum)
            let new = Audio.takeJobs(&script)
            #expect(new.count <= 1)
            for job in new {
                jobs.append(job)
                // Answered one chunk later: the next step may have come meanwhile.
                script.advance(0.05)
                answer(&script, job, state: [Float(jobs.count)])
            }
        }
        #expect(jobs.map(\.endSample) == (1...UInt64(jobs.count)).map { $0 * Self.step })
        #expect(jobs.count == 12)
        #expect(jobs.map(\.state) == [[]] + (1..<jobs.count).map { [Float($0)] })
        #expect(jobs.allSatisfy { $0.samples.count == 7_056 })
    }

    @Test("the first decision comes after 0.96 s, then one every step")
    func firstDecision() {
        var script = Audio.opened()
        Audio.stream(&script, seconds: 0.9, hum)
        #expect(scores(&script).isEmpty)
        Audio.stream(&script, from: 0.9, seconds: 1.1, hum)
        // 0.96, 1.28, 1.6 and 1.92 s of a stream at 16 kHz.
        #expect(scores(&script).map { $0.windowEndSample / 160 } == [96, 128, 160, 192])
    }

    @Test("a chunk of two seconds leaves nothing out")
    func longChunk() {
        var script = Audio.opened()
        for n in 0..<3 {
            script.send(
                .audioChunk(
                    AudioChunk(
                        streamId: 1, firstSampleIndex: UInt64(n) * 32_000, monoUs: UInt64(n) * 2_000_000 + 1,
                        samples: Audio.pcm(2, from: Double(n) * 2, hum))))
            script.advance(2)
            Audio.answerSteps(&script)
        }
        #expect(scores(&script).count == 16)
        #expect(script.takeErrors().isEmpty)
    }

    @Test("a network that does not answer costs a bounded queue; then the newest step wins and begins anew")
    func behind() throws {
        var script = Audio.opened()
        Audio.stream(&script, seconds: 0.4, answering: false, hum)
        let stuck = try #require(Audio.takeJobs(&script).first)
        Audio.stream(&script, from: 0.4, seconds: 4, answering: false, hum)
        #expect(Audio.takeJobs(&script).isEmpty)
        // The ninth step that had to wait threw the eight before it out.
        #expect(health(script).last == .detectorBehind)
        answer(&script, stuck, state: [7])
        var jobs = Audio.takeJobs(&script)
        let first = try #require(jobs.first)
        #expect(first.endSample == 10 * Self.step)
        #expect(first.state.isEmpty)
        // What the network says is believed again after 0.96 s of it.
        var decided: [UInt64] = []
        _ = scores(&script)
        while let job = jobs.first {
            answer(&script, job, state: [1])
            decided += scores(&script).map(\.windowEndSample)
            jobs = Audio.takeJobs(&script)
        }
        #expect(decided.first.map { $0 / 160 } == 384)
        // Eight steps are blind; health says so while it lasts, and all is well after it.
        Audio.stream(&script, from: 4.4, seconds: 12, hum)
        let report = script.takeSent().compactMap {
            if case .streamHealth(let health) = $0 { health } else { nil }
        }.last
        #expect(abs((report?.blindSeconds ?? 0) - 2.56) < 0.01)
        #expect(report?.detail.hasPrefix("2 s were not judged") == true)
        #expect(health(script).last == .ok)
    }

    @Test("a step the network fails on is blind, and the stream goes on from silence")
    func failure() throws {
        var script = Audio.opened()
        Audio.stream(&script, seconds: 2, hum)
        Audio.stream(&script, from: 2, seconds: 0.4, answering: false, hum)
        let failed = try #require(Audio.takeJobs(&script).first)
        #expect(failed.state == [6])
        answer(&script, failed, state: nil)
        script.tick()
        #expect(health(script).last == .detectorBehind)
        Audio.stream(&script, from: 2.4, seconds: 0.3, answering: false, hum)
        #expect(Audio.takeJobs(&script).first?.state == [])
    }

    @Test("silence that lasts needs no network, and what sounded before it comes to its end")
    func silence() {
        var script = Audio.opened()
        Audio.stream(&script, seconds: 3, answering: false, hum)
        Audio.answerSteps(&script, presenceLogit: 9)
        let started = Audio.observations(script)
        #expect(started.map(\.step) == [.confirmed])
        var jobs = 0
        for chunk in 0..<200 {
            Audio.stream(&script, from: 3 + Double(chunk) / 10, seconds: 0.1, answering: false) { _ in 0 }
            jobs += script.actions.count { if case .scoreSound = $0 { true } else { false } }
            Audio.answerSteps(&script)
        }
        // 5 s of it are still heard by the network, and the fading of filters; the rest is not.
        #expect((16...19).contains(jobs))
        #expect(Audio.observations(script).map(\.step).last == .ended)
        // Live displays go on.
        #expect(scores(&script).count > 60)
    }

    @Test("after a gap the network begins anew, and the end is heard")
    func gapAndEnd() throws {
        var script = Audio.opened()
        Audio.stream(&script, seconds: 2, hum)
        Audio.stream(&script, from: 12, seconds: 0.4, answering: false, hum)
        var jobs: [SoundJob] = []
        while let job = Audio.takeJobs(&script).first {
            jobs.append(job)
            answer(&script, job, state: [(job.state.first ?? 0) + 1])
        }
        // The rest of a step and three of silence end what was before; what comes after starts from silence.
        #expect(jobs.count == 5)
        #expect(jobs.filter(\.state.isEmpty).count == 1)
        #expect(jobs.last?.state.isEmpty == true)
        script.send(.finish(Finish(streamId: 1)))
        let last = try #require(Audio.takeJobs(&script).first)
        #expect(last.state == [1])
        #expect(script.takeSent().allSatisfy { if case .finished = $0 { false } else { true } })
        answer(&script, last, state: [2])
        #expect(script.takeSent().contains { if case .finished = $0 { true } else { false } })
    }

    // MARK: Steady background

    /// Streams 100 ms at a time; the jobs that were asked for, each answered at once.
    private func play(
        _ script: inout SessionScript, from start: Double, seconds: Double, presence: Float = -9,
        _ wave: (Double) -> Double
    ) -> [SoundJob] {
        var jobs: [SoundJob] = []
        for chunk in 0..<Int(seconds * 10) {
            Audio.stream(&script, from: start + Double(chunk) / 10, seconds: 0.1, answering: false, wave)
            while let job = Audio.takeJobs(&script).first {
                jobs.append(job)
                answer(&script, job, presence: presence, state: [(job.state.first ?? 0) + 1])
            }
        }
        return jobs
    }

    @Test(
        "of steady background, what the network remembers is computed, then one step in seventeen; scores go on"
    )
    func steady() {
        var script = Audio.opened()
        let jobs = play(&script, from: 0, seconds: 11, hum)
        #expect(jobs.map(\.endSample) == ((1...16).map { $0 } + [33]).map { $0 * Self.step })
        // Nothing is lost by it: the state goes on from step to step computed.
        #expect(jobs.map { $0.state.first ?? 0 } == (0..<17).map { Float($0) })
        #expect(
            scores(&script).map { $0.windowEndSample } == (3...34).map { ($0 * Self.step * 320 + 220) / 441 })
        #expect(script.session.isActive && health(script).last == .ok)
    }

    @Test("what comes after steady background is led in by the step before it, which is not told again")
    func ledIn() {
        var script = Audio.opened()
        _ = play(&script, from: 0, seconds: 8, hum)
        _ = scores(&script)
        let jobs = play(&script, from: 8, seconds: 0.5) {
            hum($0) + 0.2 * (($0 * 999).truncatingRemainder(dividingBy: 1) - 0.5)
        }
        #expect(jobs.map(\.endSample) == [25, 26].map { $0 * Self.step })
        #expect(jobs.map { $0.state.first ?? 0 } == [16, 17])
        #expect(scores(&script).count == 2)
    }

    @Test("a steady sound that is heard goes on while steps are left out, and ends when it does")
    func steadySoundThatCounts() {
        var script = Audio.opened()
        _ = play(&script, from: 0, seconds: 8, hum)
        // A vacuum cleaner: as steady as the hum, and louder.
        let cleaning = play(&script, from: 8, seconds: 30, presence: 9) { 6 * hum($0) }
        #expect(cleaning.count < 40)
        let during = Audio.observations(script).map(\.step)
        #expect(during.first == .confirmed)
        #expect(during.count > 2 && during.dropFirst().allSatisfy { $0 == .continues })
        script.actions = []
        let after = play(&script, from: 38, seconds: 10, hum)
        #expect(Audio.observations(script).map(\.step) == [.ended])
        // Until the sound has ended, its end is not guessed from an old answer.
        #expect(after.count >= 25)
    }

    @Test("one answer is not repeated into an alert: what is heard for the first time is asked again")
    func oneAnswerIsNoAlert() {
        var script = Audio.opened()
        _ = play(&script, from: 0, seconds: 10, hum)
        let refreshed = play(&script, from: 10, seconds: 0.6, presence: 9, hum)
        #expect(refreshed.count == 1)
        let asked = play(&script, from: 10.6, seconds: 0.4, hum)
        #expect(asked.count == 1)
        _ = play(&script, from: 11, seconds: 2, hum)
        #expect(Audio.observations(script).isEmpty)
    }

    @Test("a step that failed makes the gate forget")
    func failureForgets() throws {
        var script = Audio.opened()
        _ = play(&script, from: 0, seconds: 10, hum)
        Audio.stream(&script, from: 10, seconds: 0.6, answering: false, hum)
        let refresh = try #require(Audio.takeJobs(&script).first)
        answer(&script, refresh, state: nil)
        let jobs = play(&script, from: 10.6, seconds: 6, hum)
        #expect(jobs.first?.state == [])
        #expect(jobs.prefix(16).map(\.endSample) == (34...49).map { UInt64($0) * Self.step })
    }

    @Test("with the gate switched off every step is computed")
    func gateOff() {
        var sound = SoundSettings()
        sound.skipsSteadySound = false
        var script = SessionScript.welcomed(context: SessionContext(serverVersion: "test", sound: sound))
        Audio.open(&script)
        #expect(play(&script, from: 0, seconds: 8, hum).count >= 24)
    }
}
