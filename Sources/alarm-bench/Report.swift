import QuietAlert
import SignalProcessing
import TestSupport

/// All trials of one seed, run on as many cores as there are, and the figures they come to.
struct Report: Sendable {
    /// One line of `.build/bench/alarms.json`.
    struct Figure: Sendable {
        var name: String
        var value: Double
        var unit: String
        var bar: Double?
        var isHigherBetter = false
    }

    private(set) var alarms: [AlarmOutcome] = []
    private(set) var stretches: [StretchOutcome] = []
    private(set) var chirps: [ChirpOutcome] = []
    private(set) var slow: [SlowOutcome] = []
    private var recordedTold: [(name: String, isConfirmed: Bool)] = []
    private var cost: Cost
    private var cpuSeconds = 0.0
    private var isVerbose: Bool

    private enum Job: Sendable { case alarm(Int), stretch(Medley.Kind, Int), chirps(Int), slow(Int) }
    private enum Result: Sendable {
        case alarm(AlarmOutcome), stretch(StretchOutcome), chirps(ChirpOutcome), slow(SlowOutcome)
    }

    static func run(_ trials: Trials, _ cases: Int, _ hours: Double, _ isVerbose: Bool) async throws -> Report
    {
        var report = Report(cost: try Cost.measure(trials), isVerbose: isVerbose)
        let start = CPUClock.process
        var jobs = (0..<cases).map { Job.alarm($0) }
        jobs += (0..<(cases / 40)).map { Job.chirps($0) } + (0..<(cases / 40)).map { Job.slow($0) }
        let kinds = trials.medley.kinds
        for number in 0..<Int(hours * 3_600 / Trials.stretchSeconds) {
            jobs.append(.stretch(kinds[number % kinds.count], number))
        }
        try await withThrowingTaskGroup(of: Result.self) { group in
            var waiting = jobs.makeIterator()
            // A bounded number at a time: each holds some megabytes of samples.
            for _ in 0..<4 { if let job = waiting.next() { group.addTask { try perform(job, trials) } } }
            while let result = try await group.next() {
                report.note(result)
                if let job = waiting.next() { group.addTask { try perform(job, trials) } }
            }
        }
        report.alarms.sort { $0.number < $1.number }
        report.stretches.sort { $0.number < $1.number }
        report.chirps.sort { $0.number < $1.number }
        report.slow.sort { $0.number < $1.number }
        try report.hearRecordings(trials.medley.corpus)
        report.cpuSeconds = CPUClock.process - start
        return report
    }

    private static func perform(_ job: Job, _ trials: Trials) throws -> Result {
        switch job {
        case .alarm(let number): return .alarm(try trials.alarm(number))
        case .stretch(let kind, let number): return .stretch(try trials.stretch(kind, number))
        case .chirps(let number): return .chirps(try trials.chirps(number))
        case .slow(let number): return .slow(try trials.slowCO(number))
        }
    }

    private mutating func note(_ result: Result) {
        switch result {
        case .alarm(let outcome): alarms.append(outcome)
        case .stretch(let outcome): stretches.append(outcome)
        case .chirps(let outcome): chirps.append(outcome)
        case .slow(let outcome): slow.append(outcome)
        }
    }

    /// Recordings that show a whole round of three beats and the beginning of the next: that round, over and over.
    private mutating func hearRecordings(_ corpus: SoundCorpus) throws {
        for recording in corpus.alarms {
            guard let round = Self.round(of: recording.samples) else { continue }
            let quiet = AlarmBackground.pink.samples(seconds: 2, seed: 1).map { $0 * 0.001 }
            let beats = recording.samples[round].map { Float($0) / 32_768 }
            let heard = try Listening.hear(quiet + beats + beats + beats)
            let name = recording.name.split(separator: "/").last.map(String.init) ?? recording.name
            recordedTold.append(
                (name, heard.contains { $0.event.episode.isConfirmed && $0.event.episode.pattern == .three }))
        }
    }

    /// From just before the first of four beats to just before the fourth, if they lie as those of T3 do.
    private static func round(of samples: [Int16]) -> Range<Int>? {
        let frame = 441
        let levels = stride(from: 0, to: samples.count - frame, by: frame).map { start in
            samples[start..<(start + frame)].reduce(0) { max($0, abs(Int($1))) }
        }
        let threshold = (levels.max() ?? 0) / 4
        // A beat begins where a quarter of a second was quiet.
        let onsets = levels.indices.filter { index in
            levels[index] > threshold && levels[max(0, index - 12)..<index].allSatisfy { $0 <= threshold }
                && levels[index..<min(levels.count, index + 15)].count { $0 > threshold } >= 10
        }
        guard onsets.count >= 4, let first = onsets.first, first > 2 else { return nil }
        let steps = zip(onsets.dropFirst(), onsets).map { $0 - $1 }
        guard (45...55).contains(steps[0]), (45...55).contains(steps[1]), (90...110).contains(steps[2]) else {
            return nil
        }
        return ((first - 2) * frame)..<((onsets[3] - 2) * frame)
    }
}

// MARK: Figures

extension Report {
    private static func share(_ values: [Bool]) -> Double {
        values.isEmpty ? .nan : Double(values.count { $0 }) / Double(values.count)
    }

    private static func quantile(_ values: [Double], _ part: Double) -> Double {
        guard !values.isEmpty else { return .nan }
        let sorted = values.sorted()
        return sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
    }

    private func falsePerHour(_ kind: Medley.Kind?) -> (count: Int, hours: Double) {
        let those = stretches.filter { kind == nil || $0.kind == kind }
        return (those.reduce(0) { $0 + $1.falseAlarms.count }, those.reduce(0) { $0 + $1.seconds } / 3_600)
    }

    var figures: [Figure] {
        var list: [Figure] = []
        func add(_ name: String, _ value: Double, _ unit: String, _ bar: Double? = nil, higher: Bool = false)
        {
            guard value.isFinite else { return }
            list.append(Figure(name: name, value: value, unit: unit, bar: bar, isHigherBetter: higher))
        }
        add(
            "alarms confirmed in time", 100 * Self.share(alarms.map(\.confirmedInTime)), "%", 99, higher: true
        )
        add(
            "alarms suspected in time", 100 * Self.share(alarms.compactMap(\.suspectedInTime)), "%", 99,
            higher: true)
        add("alarms confirmed at all", 100 * Self.share(alarms.map { $0.confirmedAfter != nil }), "%")
        add(
            "alarms taken for the other kind", Double(alarms.count { $0.isWrongKind }), "of \(alarms.count)",
            0)
        for (name, isSmoke) in [("smoke", true), ("CO", false)] {
            let those = alarms.filter { $0.isSmoke == isSmoke && $0.impairment != "missedBeep" }
            for (step, times) in [
                ("suspected", those.compactMap(\.suspectedAfter)),
                ("confirmed", those.compactMap(\.confirmedAfter)),
            ] {
                add("\(name), onset to \(step), p50", Self.quantile(times, 0.5), "s")
                add("\(name), onset to \(step), p95", Self.quantile(times, 0.95), "s")
                add("\(name), onset to \(step), max", times.max() ?? .nan, "s")
            }
        }
        add(
            "recorded alarms confirmed", 100 * Self.share(recordedTold.map(\.isConfirmed)), "%", 100,
            higher: true)
        add(
            "CO with pauses of 8 to 60 s confirmed", 100 * Self.share(slow.map(\.isConfirmed)), "%", 99,
            higher: true)
        add(
            "low batteries told at the third chirp", 100 * Self.share(chirps.map(\.isToldAlone)), "%", 95,
            higher: true)
        for kind in Medley.Kind.allCases {
            let (count, hours) = falsePerHour(kind)
            if hours > 0 { add("false alarms, \(kind.rawValue)", Double(count) / hours, "an hour", 0) }
        }
        let (count, hours) = falsePerHour(nil)
        add("false alarms", Double(count), "in \(hours) h", 0)
        let chirps = stretches.reduce(0) { $0 + $1.falseChirps.count }
        add("false low batteries", Double(chirps), "in \(hours) h", 0)
        add("withdrawn suspicions", Double(stretches.reduce(0) { $0 + $1.suspicions }) / hours, "an hour")
        add("detector", 1_000 * cost.detectorSeconds, "CPU-ms/s", 0.5)
        add("detector, in silence", 1_000 * cost.silentSeconds, "CPU-ms/s")
        add("whole stream, 22,050 Hz mono", 1_000 * cost.streamSeconds, "CPU-ms/s")
        add("detector, state", cost.stateKB, "KB", 100)
        add("this evaluation", cpuSeconds, "CPU-s", 600)
        return list
    }

    func printTables() {
        func table(_ title: String, _ key: (AlarmOutcome) -> String) {
            print("\n\(title): cases, confirmed in time, suspected in time")
            for (name, those) in Dictionary(grouping: alarms, by: key).sorted(by: { $0.key < $1.key }) {
                let confirmed = those.count { $0.confirmedInTime }
                let suspected = those.compactMap(\.suspectedInTime)
                print("  \(name): \(those.count), \(confirmed), \(suspected.count { $0 })/\(suspected.count)")
            }
        }
        table("background") { $0.background }
        table("impairment") { $0.impairment }
        table("signal") { ($0.isSmoke ? "smoke" : "CO") + ($0.isLow ? ", 520 Hz" : ", 2.3-4 kHz") }
        for (name, isConfirmed) in recordedTold {
            print("recorded \(name): \(isConfirmed ? "confirmed" : "MISSED")")
        }
        guard isVerbose else { return }
        for alarm in alarms
        where !alarm.confirmedInTime || alarm.suspectedInTime == false || alarm.isWrongKind {
            print(
                "case \(alarm.number): \(alarm.isSmoke ? "smoke" : "CO") \(alarm.isLow ? "low" : "high")",
                "\(alarm.background) \(alarm.impairment) suspected \(alarm.suspectedAfter ?? -1)",
                "confirmed \(alarm.confirmedAfter ?? -1)\(alarm.isWrongKind ? " WRONG KIND" : "")")
        }
        for trial in chirps where !trial.isToldAlone {
            print(
                "low battery \(trial.number): \(trial.background), \(Int(trial.snrDecibels)) dB,",
                "\(Int(1_000 * trial.beepSeconds)) ms, \(Int(trial.frequencyHz)) Hz",
                trial.isFalseAlarm ? "FALSE ALARM" : "")
        }
        for trial in slow where !trial.isConfirmed {
            print(
                "slow CO \(trial.number): \(trial.background), pauses of \(trial.pauseSeconds) s,",
                "\(Int(trial.frequencyHz)) Hz")
        }
        for stretch in stretches {
            for episode in stretch.falseAlarms + stretch.falseChirps {
                print(
                    "false \(episode.pattern.label.rawValue) in \(stretch.kind.rawValue) \(stretch.number) at",
                    "\(Double(episode.onsetSampleIndex) / 22_050) s, \(Int(episode.frequencyHz)) Hz,",
                    "contrast \(episode.contrastDecibels)")
            }
        }
    }

    var json: String {
        let lines = figures.map { figure in
            "{\"name\": \"\(figure.name)\", \"value\": \(figure.value), \"unit\": \"\(figure.unit)\", "
                + "\"bar\": \(figure.bar.map { "\($0)" } ?? "null"), "
                + "\"better\": \"\(figure.isHigherBetter ? "higher" : "lower")\"}"
        }
        return "{\"figures\": [\(lines.joined(separator: ", "))]}"
    }
}
