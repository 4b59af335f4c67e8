import SenseProtocol
import SessionCore
import TestSupport
import Testing

@Suite("What a person's settings hold back")
struct ProfileHoldingTests {
    /// 2023-11-14 22:13:20 UTC, where the script's clock begins.
    static func script(_ settings: [(String, SettingValue.Value)]) -> ProfileScript {
        var script = ProfileScript()
        script.state.alertSettingsKnown(
            AlertSettings(
                SettingsState(settings: settings.map { AlertSettingsTests.setting("alerts." + $0, $1) })))
        script.attach(1, device: "mic")
        return script
    }

    @Test("quiet hours 22–7: a knock waits for the morning's digest, smoke comes at once (T31)")
    func quietHours() throws {
        var script = Self.script([("quiet_hours", .text("22:00-07:00"))])
        script.sound(.confirmed, "door_wood_knock", urgency: .normal, episode: 1)
        script.sound(.ended, "door_wood_knock", urgency: .normal, episode: 1)
        let held = try #require(script.log.first)
        #expect(script.log.count == 1)
        #expect(held.heldBack == "quiet hours" && held.urgency == .info && held.haptic == nil)
        #expect(held.state == .ended && held.disposition == .resolved)
        #expect(script.resolved == [held.alertId])

        script.run(5 * 3600)
        script.sound(.confirmed, "smoke_alarm", urgency: .lifeSafety, episode: 2)
        let smoke = try #require(script.log.last)
        #expect(smoke.urgency == .lifeSafety && smoke.heldBack.isEmpty && smoke.state == .confirmed)
        script.sound(.ended, "smoke_alarm", urgency: .lifeSafety, episode: 2)
        script.receive(.receipt(AlertReceipt(alertId: smoke.alertId, kind: .ackedByHuman), seq: 1), from: 1)

        let digests = { (script: ProfileScript) in script.log.filter { $0.kind == .digest } }
        script.run(3600)
        #expect(digests(script).isEmpty, "04:13")
        script.run(3 * 3600)
        #expect(digests(script).map(\.message) == ["Held back: 1 × door_wood_knock."], "07:13")
        script.run(86_400)
        #expect(digests(script).count == 1)
        #expect(script.exhausted.contains(digests(script)[0].alertId), "even a digest comes to an end")
    }

    @Test("an urgent sound is told in quiet hours")
    func urgentAtNight() {
        var script = Self.script([("quiet_hours", .text("22:00-07:00"))])
        script.sound(.confirmed, "glass_breaking")
        #expect(script.log.map(\.state) == [.confirmed])
    }

    @Test("the wall clock of the house decides, not UTC")
    func timeZone() {
        var script = Self.script([
            ("quiet_hours", .text("22:00-07:00")), ("utc_offset_minutes", .integer(9 * 60)),
        ])
        script.sound(.confirmed, "dog", urgency: .normal)
        #expect(script.log.map(\.heldBack) == [""])
    }

    @Test("80 quiet events in two hours keep to the budget; then smoke is immediate (T39)")
    func budget() throws {
        var script = Self.script([("daily_budget", .integer(5)), ("utc_offset_minutes", .integer(-600))])
        for episode in 1...80 {
            script.sound(.confirmed, "dog", urgency: .normal, episode: UInt64(episode))
            script.run(5)
            script.sound(.ended, "dog", urgency: .normal, episode: UInt64(episode))
            script.run(85)
        }
        let told = script.log.filter { $0.kind == .sound && $0.heldBack.isEmpty && $0.state == .confirmed }
        #expect(told.count == 5)
        let digests = script.log.filter { $0.kind == .digest && $0.revision == 1 }
        #expect(digests.count == 1 && digests[0].message.hasSuffix("× dog."))
        script.sound(.confirmed, "smoke_alarm", urgency: .lifeSafety, episode: 99)
        #expect(script.log.last?.label == "smoke_alarm" && script.log.last?.heldBack == "")
    }

    @Test("a new day has a new budget")
    func newDay() {
        var script = Self.script([("dog.daily_budget", .integer(1))])
        for episode: UInt64 in 1...2 {
            script.sound(.confirmed, "dog", urgency: .normal, episode: episode)
            script.sound(.ended, "dog", urgency: .normal, episode: episode)
            script.run(1000)
        }
        script.run(86_400)
        script.sound(.confirmed, "dog", urgency: .normal, episode: 77)
        let sounds = script.log.filter { $0.kind == .sound && $0.revision == 1 }
        #expect(sounds.map { $0.heldBack.isEmpty } == [true, false, true])
    }

    @Test("a restart neither renews the day's budget nor forgets what was held back")
    func restart() throws {
        let wishes: [(String, SettingValue.Value)] = [
            ("daily_budget", .integer(2)), ("utc_offset_minutes", .integer(-600)),
        ]
        var before = Self.script(wishes)
        for episode: UInt64 in 1...4 {
            before.sound(.confirmed, "dog", urgency: .normal, episode: episode)
            before.sound(.ended, "dog", urgency: .normal, episode: episode)
            before.run(100)
        }
        var newest: [String: Alert] = [:]
        for alert in before.log { newest[alert.alertId] = alert }
        let recent = newest.values.sorted { $0.startedUnixUs < $1.startedUnixUs }
        #expect(recent.map { $0.heldBack.isEmpty } == [true, true, false, false])

        var after = ProfileScript()
        after.now = before.now
        let settings = AlertSettings(
            SettingsState(settings: wishes.map { AlertSettingsTests.setting("alerts." + $0, $1) }))
        after.state.takeUp(settings, recent: recent, at: after.now)
        after.attach(1, device: "mic")
        after.sound(.confirmed, "dog", urgency: .normal, episode: 9)
        #expect(after.log.last?.heldBack == "the daily budget is spent")
        after.run(1)
        let digest = try #require(after.log.last { $0.kind == .digest })
        #expect(digest.message == "Held back: 3 × dog.")

        var later = ProfileScript()
        later.now = after.now
        later.state.takeUp(settings, recent: recent + [digest], at: later.now)
        later.run(10)
        #expect(later.log.isEmpty, "told once")
    }

    @Test("a dog that barks for ten minutes with pauses of 20 s is one line")
    func oneLine() {
        var script = Self.script([])
        for episode in 1...20 {
            script.sound(.confirmed, "dog", urgency: .normal, episode: UInt64(episode))
            script.run(10)
            script.sound(.ended, "dog", urgency: .normal, episode: UInt64(episode))
            script.run(20)
        }
        #expect(Set(script.log.map(\.alertId)).count == 1)
        #expect((580_000...600_000).contains(script.log.last?.durationMs ?? 0))
        script.run(61)
        script.sound(.confirmed, "dog", urgency: .normal, episode: 30)
        #expect(Set(script.log.map(\.alertId)).count == 2, "after the cooldown it is another")
    }

    @Test("two microphones of a room hear one dog, and both hear the smoke alarm")
    func twoMicrophones() {
        var script = Self.script([])
        script.attach(2, device: "watch")
        for session: UInt64 in [1, 2] { script.sound(.confirmed, "dog", urgency: .normal, from: session) }
        #expect(Set(script.log.map(\.alertId)).count == 1)
        for session: UInt64 in [1, 2] {
            script.sound(.confirmed, "smoke_alarm", urgency: .lifeSafety, episode: 2, from: session)
        }
        #expect(Set(script.log.filter { $0.label == "smoke_alarm" }.map(\.alertId)).count == 2)
    }

    @Test("after an answer the same sound within its cooldown is kept, but disturbs nobody")
    func answered() {
        var script = Self.script([("dog.cooldown_s", .integer(300))])
        script.sound(.confirmed, "dog", urgency: .normal, episode: 1)
        script.sound(.ended, "dog", urgency: .normal, episode: 1)
        script.receive(
            .receipt(AlertReceipt(alertId: script.log[0].alertId, kind: .ackedByHuman), seq: 1), from: 1)
        script.run(200)
        script.sound(.confirmed, "dog", urgency: .normal, episode: 2)
        #expect(script.log.last?.heldBack == "the same sound a moment ago")
        script.run(7200)
        #expect(script.log.allSatisfy { $0.kind != .digest }, "the person knows")
    }

    @Test("a sound that is not wanted leaves no trace, whatever is set for smoke is not read")
    func unwanted() {
        var script = Self.script([
            ("dog.enabled", .flag(false)), ("smoke_alarm.enabled", .flag(false)),
            ("siren.urgency", .text("info")), ("siren.haptic", .text("long")),
        ])
        script.sound(.confirmed, "dog", urgency: .normal, episode: 1)
        #expect(script.log.isEmpty)
        script.sound(.suspected, "smoke_alarm", urgency: .normal, episode: 2)
        script.sound(.confirmed, "smoke_alarm", urgency: .lifeSafety, episode: 2)
        #expect(script.log.map(\.urgency) == [.normal, .lifeSafety])
        script.sound(.confirmed, "siren", episode: 3)
        #expect(script.log.last?.urgency == .info && script.log.last?.haptic?.patternId == "sound.long")
    }

    @Test(
        "no combination of settings holds back smoke or carbon monoxide (PRODUCT 4.7 invariant 1)",
        arguments: 0..<40)
    func invariant(_ seed: UInt64) {
        var random = SeededBytes(seed: seed)
        let names: [(String, SettingValue.Value)] = [
            ("enabled", .flag(false)), ("urgency", .text("info")), ("sensitivity", .number(0)),
            ("cooldown_s", .integer(86_400)), ("daily_budget", .integer(1)),
        ]
        var settings: [(String, SettingValue.Value)] = [
            ("quiet_hours", .text("00:00-23:59")), ("daily_budget", .integer(1)),
        ]
        for label in ["smoke_alarm", "co_alarm", "dog", "Smoke_Alarm"] {
            for (name, value) in names where Bool.random(using: &random) {
                settings.append(("\(label).\(name)", value))
            }
        }
        var script = Self.script(settings)
        var expected = 0
        for episode in 1...12 {
            let label = ["smoke_alarm", "co_alarm", "dog"].randomElement(using: &random) ?? "dog"
            let isSafety = label != "dog"
            script.sound(
                .confirmed, label, urgency: isSafety ? .lifeSafety : .normal, episode: UInt64(episode))
            expected += isSafety ? 1 : 0
            script.sound(.ended, label, urgency: isSafety ? .lifeSafety : .normal, episode: UInt64(episode))
            script.run(Double.random(in: 0...120, using: &random))
        }
        let told = script.takeAlerts(1).filter {
            $0.urgency == .lifeSafety && $0.state == .confirmed && $0.heldBack.isEmpty
        }
        #expect(Set(told.map(\.alertId)).count == expected)
    }

    @Test(
        "a pattern fits the actuator that is to play it",
        arguments: [
            (Actuator(kind: .eccentricMass, zones: 1, minPulseMs: 180), UInt32(180), UInt32(180), Float(0)),
            (Actuator(kind: .linearResonant, zones: 1, minPulseMs: 20), 100, 100, 1),
            (Actuator(kind: .flash, zones: 1, minPulseMs: 500), 100, 100, 1),
        ])
    func hapticFit(_ actuator: Actuator, _ onMs: UInt32, _ offMs: UInt32, _ sharpness: Float) throws {
        var script = ProfileScript()
        script.receive(
            .attached(
                SessionPresence(
                    deviceID: "wrist", deviceName: "wrist", room: "hall", role: .subject, watchesAlerts: true,
                    lastEventID: 0, capabilities: Capabilities(actuators: [actuator]))), from: 1)
        let step = HapticStep(onMs: 100, offMs: 100, intensity: 1, sharpness: 1)
        script.receive(
            .sound(
                SoundObservation(
                    streamID: 1, episode: 1, label: "siren", step: .confirmed, confidence: 1,
                    onsetServerUs: script.now.serverUs, onsetSampleIndex: 0, urgency: .urgent,
                    haptic: HapticPattern(patternId: "p", version: 1, steps: [step, step], repeats: 1))),
            from: 1)
        let sent = try #require(script.takeAlerts(1).first?.haptic)
        #expect(sent.steps.map(\.onMs) == [onMs, onMs])
        #expect(sent.steps.map(\.offMs) == [offMs, 100])
        #expect(sent.steps.map(\.sharpness) == [sharpness, sharpness])
        #expect(script.log[0].haptic?.steps.first?.onMs == 100, "the store keeps the pattern itself")
    }
}
