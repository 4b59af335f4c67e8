import SenseClientKit
import SenseProtocol

/// `sounds`: a person's own sounds: teach, list, try, rename, remove.
enum SoundsCommand: Subcommand {
    static let spec = CommandSpec(
        name: "sounds", summary: "teach the server your own sounds: a doorbell, a kettle",
        positionals: ["[list|add|test|rename|remove|urgency]", "[NAME|FILE|-]", "[FILE|-|NEW|LEVEL]"],
        repeatsLast: true,
        options: [
            OptionSpec("--examples", "N", "examples to record from standard input, 3…10 (default 5)"),
            OptionSpec("--seconds", "S", "seconds of each of them, 2…10 (default 5)"),
            OptionSpec("--rate", "HZ", "sample rate of raw PCM on standard input"),
            OptionSpec("--channels", "N", "channels of raw PCM on standard input (default 1)"),
            OptionSpec("--format", "s16le|f32le", "samples as sent, and as they come on standard input"),
            OptionSpec("--expect", "NAME", "with test: exit 7 unless this sound is heard"),
        ],
        notes: """
              sounds                              what was taught
              sounds add "my kettle" a.wav b.wav c.wav     three to ten examples, more at any time
              sounds add "my kettle" - --rate 48000        from a microphone: you are told when to make the sound
              sounds test FILE                    plays a file to the server; alerts come as from any microphone
              sounds rename "my kettle" "the kettle"
              sounds remove "my kettle"
              sounds urgency "my kettle" urgent   info, normal or urgent
            Begin with a quiet moment, then one sound. The server keeps numbers that describe the sound, never the sound.
            """)

    static func run(_ context: CommandContext) async throws -> ExitCode {
        let words = context.arguments.positionals
        let rest = Array(words.dropFirst())
        switch (words.first ?? "list", rest.count) {
        case ("list", 0):
            return try await wish(CustomSoundEdit(), context) { show($0, context.console) }
        case ("add", 2...):
            return try await add(rest[0], Array(rest.dropFirst()), context)
        case ("test", 1):
            return try await test(rest[0], context)
        case ("rename", 2):
            return try await wish(CustomSoundEdit(label: rest[0], newLabel: rest[1]), context) { _ in
                done("renamed", rest[0], "\(rest[0].printable) is now \(rest[1].printable)", context)
            }
        case ("remove", 1):
            return try await wish(CustomSoundEdit(label: rest[0], remove: true), context) { _ in
                done("removed", rest[0], "removed \(rest[0].printable)", context)
            }
        case ("urgency", 2):
            let levels: [String: Urgency] = ["info": .info, "normal": .normal, "urgent": .urgent]
            guard let urgency = levels[rest[1]] else {
                throw UsageError(message: "urgency is info, normal or urgent, not \(rest[1].printable)")
            }
            return try await wish(CustomSoundEdit(label: rest[0], urgency: urgency), context) { _ in
                done("urgency", rest[0], "\(rest[0].printable) is \(rest[1])", context)
            }
        default:
            throw UsageError(
                message:
                    "sounds takes list, add NAME FILE…, test FILE, rename NAME NEW, remove NAME or urgency NAME LEVEL"
            )
        }
    }

    /// One wish that the server answers with all sounds.
    private static func wish(
        _ edit: CustomSoundEdit, _ context: CommandContext, _ tell: (CustomSounds) -> Void
    ) async throws -> ExitCode {
        let connected = try await Connector(context).connect()
        do {
            let answer = try await connected.client.request(.customSoundEdit(edit)) { body in
                if case .customSounds = body { true } else { false }
            }
            if case .customSounds(let sounds) = answer { tell(sounds) }
        } catch {
            await connected.client.leave()
            throw error
        }
        await connected.client.leave()
        return .ok
    }

    private static func add(
        _ name: String, _ paths: [String], _ context: CommandContext
    ) async throws -> ExitCode {
        let count = try context.arguments.number("--examples", in: 3...10) ?? 5
        let seconds = try context.arguments.number("--seconds", in: 2.0...10.0) ?? 5
        guard paths == ["-"] || !paths.contains("-") else {
            throw UsageError(message: "sounds add takes files or -, not both")
        }
        let isLive = paths == ["-"]
        let microphone = isLive ? try AudioSource("-", context.arguments) : nil
        let connected = try await Connector(context).connect()
        let listener = OwnSoundListener(connected, context)
        do {
            var refused = 0
            for number in 1...(isLive ? count : paths.count) {
                let what = isLive ? "example \(number) of \(count)" : paths[number - 1]
                let source = try microphone ?? AudioSource(paths[number - 1], context.arguments)
                if isLive {
                    context.console.tell(
                        "record", ["example": .count(number), "of": .count(count)],
                        "Make the sound now (\(number) of \(count), \(seconds.fixed(0)) s)")
                }
                let heard = try await listener.hear(
                    source, name: what, teaching: name, maxSeconds: isLive ? seconds : nil)
                guard let heard else {
                    await connected.client.leave()
                    return .interrupted
                }
                refused += heard.problem == nil ? 0 : 1
                show(heard, of: name, from: what, context)
            }
            await connected.client.leave()
            return refused == 0 ? .ok : .serverError
        } catch {
            await connected.client.leave()
            throw error
        }
    }

    private static func show(
        _ heard: OwnSoundListener.Heard, of name: String, from what: String, _ context: CommandContext
    ) {
        let console = context.console
        if let problem = heard.problem {
            console.tell(
                "refused", ["example": .text(what), "message": .text(problem.devMessage)],
                console.style.red("\(what.printable): not taken: \(problem.devMessage.printable)"))
            return
        }
        guard let sound = heard.answer?.sounds.first(where: { $0.label == name }) else { return }
        let isReady = sound.threshold != 0
        console.tell(
            "example", json(sound, [("example", .text(what)), ("answer_ms", .number(heard.answerMs))]),
            "\(what.printable): taken, \(sound.examples) examples"
                + (isReady ? "; \(name.printable) is heard from now on" : ", three are needed"))
    }

    private static func test(_ path: String, _ context: CommandContext) async throws -> ExitCode {
        let source = try AudioSource(path, context.arguments)
        let connected = try await Connector(context).connect(watchesAlerts: true)
        let listener = OwnSoundListener(connected, context)
        do {
            let heard = try await listener.hear(source, name: path, teaching: nil, maxSeconds: nil)
            await connected.client.leave()
            guard let heard else { return .interrupted }
            if let problem = heard.problem { throw ClientError.refused(problem) }
            for (label, best) in heard.best.sorted(by: { $0.key < $1.key }) {
                let isHeard = heard.alerts.contains(label)
                context.console.tell(
                    "tested",
                    [
                        "label": .text(label), "heard": .flag(isHeard), "best": .number(Double(best.score)),
                        "at_s": .number(best.atSeconds),
                    ],
                    "\(label.printable): \(isHeard ? "heard" : "not heard"), best \((Double(best.score) * 100).fixed(0)) % at \(best.atSeconds.fixed(1)) s (50 % is the threshold)"
                )
            }
            if heard.best.isEmpty { context.console.tell("tested", [:], "no sound is taught yet") }
            let isComplete = context.arguments.texts("--expect").allSatisfy { heard.alerts.contains($0) }
            return isComplete ? .ok : .expectationMissed
        } catch {
            await connected.client.leave()
            throw error
        }
    }

    // MARK: Words

    private static func done(_ event: String, _ name: String, _ line: String, _ context: CommandContext) {
        context.console.tell(event, ["label": .text(name)], line)
    }

    private static func show(_ sounds: CustomSounds, _ console: Console) {
        for sound in sounds.sounds {
            let state =
                sound.teachAgain
                ? console.style.red(
                    "taught to \(sound.model.printable), which is not in use any more: remove it or add examples again"
                )
                : sound.threshold == 0
                    ? "\(sound.examples) of 3 examples" : "\(sound.examples) examples, \(sound.urgency.word)"
            console.tell(
                "sound", json(sound), "\(console.style.bold(sound.label.printable)): \(state)")
        }
        console.tell(
            "summary", ["sounds": .count(sounds.sounds.count)],
            sounds.sounds.isEmpty ? "no sounds; teach one with sense-client sounds add NAME FILE…" : nil)
    }

    private static func json(
        _ sound: CustomSound, _ extra: [(String, JSONValue)] = []
    ) -> KeyValuePairs<String, JSONValue> {
        [
            "label": .text(sound.label), "examples": .count(sound.examples),
            "threshold": .number(Double(sound.threshold)), "urgency": .text(sound.urgency.word),
            "teach_again": .flag(sound.teachAgain), "model": .text(sound.model),
            "details": .object(extra.map { JSONValue.Member(key: $0.0, value: $0.1) }),
        ]
    }
}
