import Inference
import QuietAlert
import SenseServer
import SessionCore

/// Hears homes faster than they sound, through sessions as the server has them, and counts: false alarms an hour in hours of
/// background; events that are told without the gate for steady sound and not with it; steps that the gate saves.
struct HomeBench {
    /// One line of the table and of the file.
    struct Figure {
        var name: String
        var value: Double
        var unit: String
        var bar: Double?
        var isHigherBetter = false

        var json: String {
            """
            {"name": "\(name)", "value": \(value), "unit": "\(unit)", "bar": \(bar.map { "\($0)" } ?? "null"), \
            "better": "\(isHigherBetter ? "higher" : "lower")"}
            """
        }
    }

    private let bay: ModelBay
    private let network: SoundNetwork
    private let scorer: SoundScorer
    private let streams: StreamList

    /// An alert so long after the end of an event is still of it: the network looks back.
    static let toleranceSeconds = 5.5

    init(_ streams: StreamList, models: String) throws {
        self.streams = streams
        bay = try ModelBay(folder: models)
        guard let network = bay.soundNetwork else {
            throw Usage(description: "\(models)/manifest.json names no sound network")
        }
        self.network = network
        scorer = SoundScorer(network, space: bay.soundSpace)
    }

    /// How scores become detections.
    var settings: SoundSettings { bay.soundSettings }

    /// What the network keeps of one stream.
    var stateKB: Double {
        switch network {
        case .steps(let stream): Double(stream.stateFloats) * 4 / 1_024
        case .windows(let model, _):
            Double((model.inputs.first?.rowCount ?? 0) - network.stepSamples) * 4 / 1_024
        }
    }

    /// All streams of `role`, as many at a time as make a batch.
    private func hear(_ role: String, gated: Bool) throws -> [HomeRecording] {
        var settings = self.settings
        settings.skipsSteadySound = gated
        let context = SessionContext(serverVersion: "bench", sound: settings)
        var waiting = streams.entries.filter { $0.role == role }
        var done: [HomeRecording] = []
        while !waiting.isEmpty {
            let group = try waiting.prefix(SoundScorer.maxBatch).map { try HomeRecording($0, context) }
            waiting.removeFirst(group.count)
            var open = group
            while !open.isEmpty {
                open = try open.filter { try $0.step() }
                score(group)
            }
            done += group
        }
        return done
    }

    private func score(_ group: [HomeRecording]) {
        while true {
            let jobs = group.map(\.microphone).flatMap { microphone in
                microphone.takeJobs().map { (microphone, $0) }
            }
            guard !jobs.isEmpty else { return }
            let scores = scorer.score(jobs.map { SoundStep(samples: $1.samples, state: $1.state) })
            for ((microphone, job), scores) in zip(jobs, scores) {
                microphone.answer(
                    job, classLogits: scores?.classLogits, presenceLogit: scores?.presenceLogit ?? 0,
                    point: scores?.point ?? [], state: scores?.state ?? [])
            }
        }
    }

    // MARK: Figures

    func measure() throws -> [Figure] {
        let memory = memoryFigures()
        let gated = try hear("background", gated: true)
        var figures = memory + falseAlarms(gated)
        let (without, with) = (try hear("event", gated: false), try hear("event", gated: true))
        guard !with.isEmpty else { return figures }
        figures += missed(without, with)
        for kind in Set(with.map(\.entry.kind)).sorted() {
            let those = with.filter { $0.entry.kind == kind }
            figures.append(
                Figure(
                    name: "steps that need no network, events in \(kind)", value: skipped(those), unit: "%"))
        }
        return figures
    }

    private func hours(_ streams: [HomeRecording]) -> Double {
        streams.reduce(0) { $0 + $1.microphone.seconds } / 3_600
    }

    /// Share of the steps that were not computed, %.
    private func skipped(_ streams: [HomeRecording]) -> Double {
        let steps =
            streams.reduce(0) { $0 + $1.microphone.seconds } * Double(AudioStepper.sampleRateHz)
            / Double(network.stepSamples)
        return 100 * (1 - Double(streams.reduce(0) { $0 + $1.microphone.computedSteps }) / max(1, steps))
    }

    private func falseAlarms(_ streams: [HomeRecording]) -> [Figure] {
        let hours = hours(streams)
        guard hours > 0 else { return [] }
        let told = streams.flatMap(\.microphone.told)
        var figures = [
            Figure(name: "home background", value: hours, unit: "h", bar: 3, isHigherBetter: true),
            Figure(name: "false alarms, all labels", value: Double(told.count) / hours, unit: "an hour"),
        ]
        for label in SoundLabel.allCases {
            let count = told.count { $0.label == label.rawValue }
            let isAlarm = label == .smokeAlarm || label == .coAlarm
            figures.append(
                Figure(
                    name: "false alarms, \(label.rawValue)", value: Double(count) / hours, unit: "an hour",
                    bar: isAlarm ? 0 : nil))
        }
        figures.append(
            Figure(name: "steps that need no network, background", value: skipped(streams), unit: "%"))
        return figures
    }

    /// Seconds from the beginning of each event of a stream until it was told; nil where it was not.
    private func heard(_ stream: HomeRecording) -> [Double?] {
        stream.entry.spans.map { span in
            stream.microphone.told.first {
                $0.label == span.label && $0.atSeconds > span.start
                    && $0.atSeconds < span.end + Self.toleranceSeconds
            }.map { $0.atSeconds - span.start }
        }
    }

    private func missed(_ without: [HomeRecording], _ with: [HomeRecording]) -> [Figure] {
        let pairs = Array(zip(without.flatMap(heard), with.flatMap(heard)))
        let told = pairs.count { $0.0 != nil }
        let lost = pairs.count { $0.0 != nil && $0.1 == nil }
        let won = pairs.count { $0.0 == nil && $0.1 != nil }
        let times = pairs.compactMap(\.1).sorted()
        func quantile(_ share: Double) -> Double {
            times.isEmpty ? .nan : times[min(times.count - 1, Int(share * Double(times.count)))]
        }
        return [
            Figure(name: "events in steady background", value: Double(pairs.count), unit: "events"),
            Figure(
                name: "told without the gate", value: 100 * Double(told) / Double(max(1, pairs.count)),
                unit: "%"),
            Figure(
                name: "of those, missed with the gate", value: 100 * Double(lost) / Double(max(1, told)),
                unit: "%", bar: 0.5),
            Figure(name: "told with the gate alone", value: Double(won), unit: "events"),
            Figure(name: "onset to alert, network and rules alone, p50", value: quantile(0.5), unit: "s"),
            Figure(name: "onset to alert, network and rules alone, p95", value: quantile(0.95), unit: "s"),
        ]
    }
}
