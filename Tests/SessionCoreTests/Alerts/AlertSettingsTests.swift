import QuietAlert
import SenseProtocol
import SessionCore
import Testing

@Suite("Settings of alerts")
struct AlertSettingsTests {
    static func setting(_ key: String, _ value: SettingValue.Value) -> Setting {
        Setting(key: key, value: SettingValue(value: value))
    }

    @Test(
        "accepted",
        arguments: [
            ("alerts.quiet_hours", SettingValue.Value.text("22:00-07:00")), ("alerts.quiet_hours", .text("")),
            ("alerts.daily_budget", .integer(20)), ("alerts.utc_offset_minutes", .integer(-840)),
            ("alerts.dog.enabled", .flag(false)), ("alerts.dog.urgency", .text("info")),
            ("alerts.dog.sensitivity", .number(1)), ("alerts.dog.sensitivity", .integer(0)),
            ("alerts.my_kettle.cooldown_s", .integer(86_400)), ("alerts.dog.daily_budget", .integer(0)),
            ("alerts.dog.haptic", .text("double")), ("alerts.smoke_alarm.haptic", .text("long")),
            ("bridge.words", .integer(3)),
        ])
    func accepted(_ key: String, _ value: SettingValue.Value) {
        #expect(AlertSettings.problem(Self.setting(key, value)) == nil)
    }

    @Test(
        "refused, with what was expected",
        arguments: [
            ("alerts.quiet_hours", SettingValue.Value.text("22-7"), "22:00-07:00"),
            ("alerts.quiet_hours", .text("24:00-07:00"), "22:00-07:00"),
            ("alerts.quiet_hours", .text("07:00-07:00"), "22:00-07:00"),
            ("alerts.quiet_hours", .integer(7), "22:00-07:00"),
            ("alerts.daily_budget", .integer(-1), "0…10000"),
            ("alerts.utc_offset_minutes", .integer(841), "-840…840"),
            ("alerts.dog.enabled", .text("no"), "flag"),
            ("alerts.dog.urgency", .text("life_safety"), "info, normal or urgent"),
            ("alerts.dog.sensitivity", .number(.nan), "0…1"), ("alerts.dog.sensitivity", .number(1.1), "0…1"),
            ("alerts.dog.cooldown_s", .integer(.max), "0…86400"),
            ("alerts.dog.haptic", .text("sound.life_safety"), "double"),
            ("alerts.dog.volume", .integer(1), "sensitivity"), ("alerts.volume", .integer(1), "daily_budget"),
            ("alerts.a.b.c", .integer(1), "LABEL.NAME"),
            ("alerts.smoke_alarm.enabled", .flag(false), "life safety"),
            ("alerts.co_alarm.daily_budget", .integer(1), "life safety"),
            ("alerts.smoke_alarm.urgency", .text("info"), "life safety"),
        ])
    func refused(_ key: String, _ value: SettingValue.Value, _ expected: String) {
        let setting = Self.setting(key, value)
        #expect(AlertSettings.problem(setting)?.expected.contains(expected) == true)
        #expect(AlertSettings(SettingsState(settings: [setting])) == AlertSettings(), "not read either")
    }

    @Test func theLastWordOfEachKeyCounts() {
        let settings = AlertSettings(
            SettingsState(settings: [
                Self.setting("alerts.my_kettle.enabled", .flag(false)),
                Self.setting("alerts.dog.urgency", .text("urgent")),
                Self.setting("alerts.quiet_hours", .text("22:00-07:00")),
            ]))
        #expect(settings["My kettle"].isEnabled == false)
        #expect(settings["dog"].urgency == .urgent)
        #expect(settings["siren"] == AlertSettings()["siren"])
        #expect(settings.quietHours == QuietHours("22:00-07:00"))
    }

    @Test(
        "sensitivity moves a threshold by 2 logits at most", arguments: [(0.0, Float(2)), (0.5, 0), (1, -2)])
    func sensitivity(_ value: Double, _ shift: Float) {
        let settings = AlertSettings(
            SettingsState(settings: [Self.setting("alerts.dog.sensitivity", .number(value))]))
        #expect(settings.thresholdShift("dog", room: "hall") == shift)
        #expect(settings.thresholdShift("siren", room: "hall") == 0)
    }

    @Test("alerts marked wrong raise a threshold in their room only, within limits, never of life safety")
    func learns() {
        func tally(_ room: String, _ label: String, _ wrong: Int) -> FeedbackTally {
            FeedbackTally(
                room: room, label: label, alerts: wrong, right: 0, wrong: wrong, heardSeconds: 100 * 3600)
        }
        let tallies = [
            tally("hall", "dog", 20), tally("hall", "siren", 2), tally("hall", "smoke_alarm", 500),
            tally("kitchen", "vacuum_cleaner", 10_000),
        ]
        var settings = AlertSettings()
        settings.learn(from: tallies)
        #expect(settings.thresholdShift("dog", room: "hall") == 0.5, "0.2 an hour: twice over 1 in 12 hours")
        #expect(settings.thresholdShift("dog", room: "kitchen") == 0)
        #expect(settings.thresholdShift("siren", room: "hall") == 0, "two are chance")
        #expect(settings.thresholdShift("smoke_alarm", room: "hall") == 0)
        #expect(settings.thresholdShift("vacuum_cleaner", room: "kitchen") == FeedbackLimits().maxRaise)
        // The person's own word goes before.
        var own = AlertSettings(
            SettingsState(settings: [
                Self.setting("alerts.dog.sensitivity", .number(1)),
                Self.setting("alerts.learn_from_feedback", .flag(false)),
            ]))
        own.learn(from: tallies)
        #expect(own.thresholdShift("dog", room: "hall") == -2)
        settings.learn(from: [])
        #expect(settings == AlertSettings(), "what is taken back is forgotten")
    }

    @Test(
        "quiet hours, also over midnight",
        arguments: [
            ("22:00-07:00", 21 * 60 + 59, false), ("22:00-07:00", 22 * 60, true), ("22:00-07:00", 0, true),
            ("22:00-07:00", 7 * 60 - 1, true), ("22:00-07:00", 7 * 60, false), ("13:00-15:00", 14 * 60, true),
            ("13:00-15:00", 15 * 60, false),
        ])
    func quietHours(_ text: String, _ minute: Int, _ isQuiet: Bool) throws {
        let hours = try #require(QuietHours(text))
        let time = LocalTime(unixUs: UInt64(minute) * 60_000_000, utcOffsetSeconds: 0)
        #expect(hours.contains(time) == isQuiet)
        if isQuiet {
            let end = LocalTime(
                unixUs: UInt64(minute * 60 + hours.secondsLeft(at: time)) * 1_000_000, utcOffsetSeconds: 0)
            #expect(end.minuteOfDay == hours.end)
        }
    }

    @Test func localTimeCrossesTheDay() {
        let time = LocalTime(unixUs: 86_400_000_000 - 1, utcOffsetSeconds: 3600)
        #expect(time.day == 1 && time.secondOfDay == 3599)
        #expect(LocalTime(unixUs: 0, utcOffsetSeconds: -3600).day == -1)
    }
}
