import QuietAlert
import SenseProtocol
import SessionCore
import Testing

@Suite("Audio of a session")
struct SessionAudioTests {
    /// 16-bit samples of `seconds` from a function of time.
    static func pcm(_ seconds: Double, from start: Double = 0, _ wave: (Double) -> Double) -> [UInt8] {
        (0..<Int(seconds * 16_000)).flatMap { n -> [UInt8] in
            let value = Int16(max(-1, min(1, wave(start + Double(n) / 16_000))) * 32_000)
            let bits = UInt16(bitPattern: value)
            return [UInt8(bits & 255), UInt8(bits >> 8)]
        }
    }

    /// A smoke alarm's three pulses, as a square wave near 3.1 kHz.
    static func smokeAlarm(_ t: Double) -> Double {
        let inCycle = t.truncatingRemainder(dividingBy: 4)
        let isOn = inCycle < 3 && inCycle.truncatingRemainder(dividingBy: 1) < 0.5
        return isOn && (t * 3100).truncatingRemainder(dividingBy: 1) < 0.5 ? 0.3 : isOn ? -0.3 : 0.001
    }

    static func opened() -> SessionScript {
        var script = SessionScript.welcomed()
        open(&script)
        return script
    }

    static func open(_ script: inout SessionScript) {
        script.send(
            .openStream(
                OpenStream(
                    streamId: 1,
                    format: .audio(
                        AudioFormat(
                            encoding: .pcmS16le, sampleRateHz: 16_000, channels: 1, captureMode: .raw)))))
        script.actions = []
    }

    static func stream(
        _ script: inout SessionScript, from start: Double = 0, seconds: Double, answering: Bool = true,
        presenceLogit: Float = -9, _ wave: (Double) -> Double
    ) {
        var t = start
        while t < start + seconds - 0.001 {
            script.send(
                .audioChunk(
                    AudioChunk(
                        streamId: 1, firstSampleIndex: UInt64((t * 16_000).rounded()),
                        monoUs: UInt64((t * 1e6).rounded()) + 1,
                        samples: pcm(0.1, from: t, wave))))
            script.advance(0.1)
            t += 0.1
            if answering { answerSteps(&script, presenceLogit: presenceLogit) }
            script.tick()
        }
    }

    static func takeJobs(_ script: inout SessionScript) -> [SoundJob] {
        let jobs = script.actions.compactMap { if case .scoreSound(let job) = $0 { job } else { nil } }
        script.actions.removeAll { if case .scoreSound = $0 { true } else { false } }
        return jobs
    }

    /// Answers every step until none is asked for; the state carries the number of steps since silence.
    static func answerSteps(_ script: inout SessionScript, presenceLogit: Float = -9) {
        var jobs = takeJobs(&script)
        while !jobs.isEmpty {
            for job in jobs {
                script.session.soundScored(
                    job, classLogits: [Float](repeating: 0, count: 9), presenceLogit: presenceLogit,
                    state: [(job.state.first ?? 0) + 1], at: script.now, actions: &script.actions)
            }
            jobs = takeJobs(&script)
        }
    }

    static func observations(_ script: SessionScript) -> [SoundObservation] {
        script.profileInputs.compactMap { if case .sound(let seen) = $0 { seen } else { nil } }
    }

    @Test("a smoke alarm is suspected within 2 s and confirmed within 6 s whatever the network says (T1)")
    func smoke() {
        var script = Self.opened()
        let start = script.now.serverUs
        Self.stream(&script, seconds: 12, Self.smokeAlarm)
        let seen = Self.observations(script).filter { $0.label == "smoke_alarm" }
        #expect(seen.first?.step == .suspected)
        let confirmed = seen.first { $0.step == .confirmed }
        #expect(confirmed?.urgency == .lifeSafety)
        #expect(seen.filter { $0.step == .confirmed }.count == 1)
        #expect(Set(seen.map(\.episode)).count == 1)
        let onset = confirmed?.onsetServerUs ?? 0
        #expect(onset >= start - 200_000 && onset <= start + 400_000)
    }

    @Test("digital silence is announced within 15 s, and so is the recovery (T9)")
    func silence() {
        var script = Self.opened()
        Self.stream(&script, seconds: 15) { _ in 0 }
        let states = healthStates(script)
        #expect(states == [.silent])
    }

    @Test("a stream that stops sending is announced while heartbeats go on (T9)")
    func stalled() {
        var script = Self.opened()
        Self.stream(&script, seconds: 2) { t in 0.1 * (t * 440).truncatingRemainder(dividingBy: 1) }
        for _ in 0..<15 {
            script.advance(1)
            script.send(.heartbeat(Heartbeat(batteryPercent: 50)))
            script.tick()
        }
        let states = healthStates(script)
        #expect(states == [.ok, .stalled])
        #expect(script.session.isActive)
    }

    @Test("a gap is reported with its bounds and counted")
    func gap() {
        var script = Self.opened()
        script.send(
            .audioChunk(
                AudioChunk(streamId: 1, firstSampleIndex: 0, monoUs: 1, samples: Self.pcm(0.1) { _ in 0.1 })))
        script.send(
            .audioChunk(
                AudioChunk(
                    streamId: 1, firstSampleIndex: 8_000, monoUs: 500_000, samples: Self.pcm(0.1) { _ in 0.1 }
                )))
        let gaps = script.takeSent().compactMap { if case .gap(let gap) = $0 { gap } else { nil } }
        #expect(gaps.map(\.from) == [1_600])
        #expect(gaps.map(\.to) == [8_000])
    }

    @Test("health is reported at least every five seconds for every stream")
    func healthReports() {
        var script = Self.opened()
        Self.stream(&script, seconds: 21) { t in 0.1 * (t * 440).truncatingRemainder(dividingBy: 1) }
        let reports = script.takeSent().compactMap {
            if case .streamHealth(let health) = $0 { health } else { nil }
        }
        #expect(reports.count >= 4)
        #expect(reports.last?.state == .ok)
        #expect((reports.last?.estimatedRateHz ?? 0) > 15_900)
        #expect((reports.last?.levelDbfs ?? 0) < -20)
        #expect((reports.last?.lastInferenceAgeMs ?? 0) < 1_000)
    }

    @Test("16 kHz declared and 48 kHz sent is a rate mismatch within 3 s (T11)")
    func rateMismatch() {
        var script = Self.opened()
        var index: UInt64 = 0
        for step in 0..<30 {
            script.send(
                .audioChunk(
                    AudioChunk(
                        streamId: 1, firstSampleIndex: index, monoUs: UInt64(step) * 100_000 + 1,
                        samples: Self.pcm(0.3, from: Double(step) * 0.3) { t in
                            0.1 * (t * 440).truncatingRemainder(dividingBy: 1)
                        })))
            index += 4_800
            script.advance(0.1)
            script.tick()
        }
        let states = healthStates(script)
        #expect(states == [.ok, .rateMismatch])
    }

    @Test("indices and clocks at the edge of 64 bits cannot trap")
    func hostileClock() {
        var script = Self.opened()
        script.send(.audioChunk(AudioChunk(streamId: 1, firstSampleIndex: 0, monoUs: 1, samples: [0, 0])))
        script.send(
            .audioChunk(
                AudioChunk(
                    streamId: 1, firstSampleIndex: 0xFFFF_FFFF_FFFF_0000, monoUs: 1_000_001, samples: [0, 0]))
        )
        for _ in 0..<40 {
            script.advance(0.25)
            script.tick()
        }
        #expect(script.session.isActive)
    }

    @Test("a format announced for a later sample takes over there, and the alarm is heard on (T12)")
    func formatChange() {
        var script = Self.opened()
        Self.stream(&script, seconds: 4, Self.smokeAlarm)
        script.send(
            .streamFormat(
                StreamFormat(
                    streamId: 1, effectiveSampleIndex: 64_000,
                    format: .audio(AudioFormat(encoding: .pcmS16le, sampleRateHz: 16_000, channels: 2)))))
        for step in 0..<80 {
            let mono = Self.pcm(0.1, from: 4 + Double(step) / 10, Self.smokeAlarm)
            var stereo: [UInt8] = []
            for at in stride(from: 0, to: mono.count, by: 2) {
                for _ in 0..<2 { stereo += [mono[at], mono[at + 1]] }
            }
            script.send(
                .audioChunk(
                    AudioChunk(
                        streamId: 1, firstSampleIndex: UInt64(step) * 1600,
                        monoUs: 4_000_001 + UInt64(step) * 100_000,
                        samples: stereo)))
            script.advance(0.1)
            Self.answerSteps(&script)
        }
        #expect(script.takeErrors().isEmpty)
        let steps = Self.observations(script).filter { $0.label == "smoke_alarm" }.map(\.step)
        #expect(steps.filter { $0 == .confirmed }.count == 1)
        #expect(!steps.contains(.ended))
    }

    @Test("a stream made of gaps is refused instead of keeping the detectors busy")
    func gapFlood() {
        var script = Self.opened()
        for step in 0..<10 {
            script.send(
                .audioChunk(
                    AudioChunk(
                        streamId: 1, firstSampleIndex: UInt64(step) * 1_000_000, monoUs: 1, samples: [0, 0])))
        }
        #expect(script.takeErrors().map(\.code) == Array(repeating: ErrorCode.tooFast, count: 5))
    }

    @Test("a refused first chunk does not stand for the first that is heard")
    func refusedFirstChunk() {
        var script = Self.opened()
        script.send(.audioChunk(AudioChunk(streamId: 1, firstSampleIndex: .max, samples: [0, 0])))
        #expect(script.takeErrors().map(\.field) == ["audio_chunk.first_sample_index"])
        #expect(healthStates(script).isEmpty)
        script.send(
            .audioChunk(AudioChunk(streamId: 1, firstSampleIndex: 0, monoUs: 1, samples: [0, 0, 1, 0])))
        #expect(healthStates(script) == [.ok])
    }

    @Test("the first samples of a voice-processed stream are no all-clear")
    func voiceProcessed() {
        var script = SessionScript.welcomed()
        script.send(
            .openStream(
                OpenStream(
                    streamId: 1,
                    format: .audio(
                        AudioFormat(
                            encoding: .pcmS16le, sampleRateHz: 16_000, channels: 1,
                            captureMode: .voiceProcessed)))))
        script.advance(0.25)
        script.tick()
        script.send(
            .audioChunk(AudioChunk(streamId: 1, firstSampleIndex: 0, monoUs: 1, samples: [0, 0, 0, 1])))
        #expect(healthStates(script) == [.voiceProcessed])
    }

    @Test("a setting that would hold back smoke is refused with its key, and nothing of the patch is stored")
    func refusedSettings() {
        var script = Self.opened()
        script.send(
            .settingsPatch(
                SettingsPatch(settings: [
                    Setting(key: "alerts.dog.enabled", value: SettingValue(value: .flag(false))),
                    Setting(key: "alerts.smoke_alarm.enabled", value: SettingValue(value: .flag(false))),
                ])))
        let errors = script.takeErrors()
        #expect(errors.map(\.field) == ["settings_patch.settings[1] (alerts.smoke_alarm.enabled)"])
        #expect(errors.first?.devMessage.contains("a setting that cannot hold back life safety") == true)
        #expect(
            !script.actions.contains {
                if case .request(.patchSettings, _) = $0 { true } else { false }
            })
    }

    @Test("a person's sensitivity of a sound moves its threshold, on open streams and later ones")
    func sensitivity() {
        let sets = { (value: Double) in
            AlertSettings(
                SettingsState(settings: [
                    // All nine are equally likely: the first is taken.
                    Setting(
                        key: "alerts.\(SoundLabel.networkLabels[0].rawValue).sensitivity",
                        value: SettingValue(value: .number(value)))
                ]))
        }
        func heard(_ sensitivity: Double) -> [String] {
            var script = Self.opened()
            script.session.alertSettingsKnown(sets(sensitivity))
            // The shipped threshold is 0; the highest sensitivity asks for -2.
            Self.stream(&script, seconds: 3, presenceLogit: -1) { t in
                0.2 * (t * 440).truncatingRemainder(dividingBy: 1)
            }
            return Self.observations(script).map(\.label)
        }
        #expect(heard(0.5).isEmpty)
        #expect(Set(heard(1)) == [SoundLabel.networkLabels[0].rawValue])
    }

    private func healthStates(_ script: SessionScript) -> [HealthState] {
        script.profileInputs.compactMap {
            if case .health(_, let faults) = $0 { faults.first?.state ?? .ok } else { nil }
        }
    }
}
