import SenseClientKit
import SenseProtocol

/// `settings`: what is set for the person, shared by all their devices.
enum SettingsCommand: Subcommand {
    static let spec = CommandSpec(
        name: "settings", summary: "show or change how this person is told",
        positionals: ["[KEY]", "[VALUE]"],
        options: [
            OptionSpec("--remove", "KEY", "back to the default; may be given several times"),
            OptionSpec("--as-text", nil, "VALUE is text even if it looks like a number"),
        ],
        notes: """
            Without arguments all settings are listed, with KEY that one. Some keys:
              alerts.quiet_hours 22:00-07:00     hold back what is not urgent; "" for none
              alerts.daily_budget 20             interruptions a day by sounds that are not urgent, 0 = no limit
              alerts.learn_from_feedback false   alerts marked wrong change nothing
              alerts.LABEL.enabled false         LABEL as in the alerts: dog, door_wood_knock, siren, …
              alerts.LABEL.urgency urgent        info, normal or urgent
              alerts.LABEL.sensitivity 0.8       0…1, 0.5 as shipped
              alerts.LABEL.cooldown_s 120        the same sound within it is the same alert
              alerts.LABEL.daily_budget 5        interruptions a day by this sound
              alerts.LABEL.haptic double         urgent, single, double or long
              bridge.words "Anna, Wrenfield"     names and places for the word suggestions
            Nothing can hold back smoke and carbon monoxide.
            """)

    static func run(_ context: CommandContext) async throws -> ExitCode {
        let words = context.arguments.positionals
        let removed = context.arguments.texts("--remove")
        let client = try await Connector(context).connect().client
        var state = try await ask(client, .settingsRequest(SettingsRequest()))
        if words.count == 2 || !removed.isEmpty {
            var patch = SettingsPatch(baseRevision: state.revision, removedKeys: removed)
            if words.count == 2 {
                let value = value(words[1], isText: context.arguments.has("--as-text"))
                patch.settings = [Setting(key: words[0], value: SettingValue(value: value))]
            }
            state = try await ask(client, .settingsPatch(patch))
            guard state.conflictingKeys.isEmpty else {
                await client.leave()
                throw Failure(
                    code: .serverError,
                    message:
                        "\(state.conflictingKeys.joined(separator: ", ")): another device changed it just now",
                    advice: "Look at it again and repeat the change.")
            }
            state = try await ask(client, .settingsRequest(SettingsRequest()))
        }
        await client.leave()
        let wanted = words.first.map { Set([$0]) }
        let shown = state.settings.filter { wanted?.contains($0.key) ?? true }
        for setting in shown.sorted(by: { $0.key < $1.key }) { show(setting, context.console) }
        if shown.isEmpty, !context.console.isJSON {
            context.console.tell(
                "none", [:], words.first.map { "\($0.printable) is not set" } ?? "nothing is set")
        }
        return .ok
    }

    private static func ask(_ client: SenseClient, _ body: Envelope.Body) async throws -> SettingsState {
        let answer = try await client.request(body) { if case .settingsState = $0 { true } else { false } }
        if case .settingsState(let state) = answer { return state }
        return SettingsState()
    }

    private static func value(_ word: String, isText: Bool) -> SettingValue.Value {
        if isText { return .text(word) }
        if word == "true" || word == "false" { return .flag(word == "true") }
        if let integer = Int64(word) { return .integer(integer) }
        if let number = Double(word), number.isFinite { return .number(number) }
        return .text(word)
    }

    private static func show(_ setting: Setting, _ console: Console) {
        let (json, text): (JSONValue, String) =
            switch setting.value?.value {
            case .flag(let flag)?: (.flag(flag), "\(flag)")
            case .integer(let number)?: (.number(Double(number)), "\(number)")
            case .number(let number)?: (.number(number), "\(number)")
            case .text(let text)?: (.text(text), text.isEmpty ? "\"\"" : text.printable)
            case .blob(let bytes)?: (.text("\(bytes.count) bytes"), "\(bytes.count) bytes")
            case nil: (.null, "")
            }
        console.tell(
            "setting", ["key": .text(setting.key), "value": json, "revision": .unsigned(setting.revision)],
            "\(setting.key.printable) = \(text)")
    }
}
