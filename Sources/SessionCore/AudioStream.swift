import QuietAlert
import SenseProtocol
import SignalProcessing

/// One microphone at the session's side: the wire's formats and words around a `SoundStream`, the network's state of
/// this stream, and the steps that wait for it (see `AudioStream+scores.swift`).
struct AudioStream: Sendable {
    var sound: SoundStream
    var episodes: SoundEpisodeTracker
    /// The person's own sounds; nil where they cannot be compared.
    var custom: CustomHearing?
    let settings: SoundSettings
    /// The model's, moved by the person's sensitivity of each sound.
    var thresholds: SoundThresholds
    private let designs: ResamplerDesigns
    private var earlierSamples: UInt64 = 0
    private var earlierMissing: UInt64 = 0
    /// What the device says it does to the sound. Only `raw` is a promise that alarms are in it.
    private(set) var captureMode: CaptureMode
    /// Format that takes over at a sample index still to come.
    private var pendingFormat: (format: PCMFormat, mode: CaptureMode, fromIndex: UInt64)?
    /// What the old format still held, until a chunk of the new one is taken.
    private var carried = Taken()
    /// Server times of the last gaps, to refuse a stream that consists of them.
    private var gapTimes: [UInt64] = []
    /// Samples have come that are not all the same: before, a microphone that opened proves nothing.
    private(set) var isHeard = false
    var scoring: SoundScoring
    var warnings = WarningCounter()

    init(_ wish: AudioFormat, field: String, context: SessionContext, at now: Now) throws(FieldProblem) {
        settings = context.sound
        thresholds = settings.thresholds
        scoring = SoundScoring(stepSamples: settings.stepSamples)
        designs = context.resamplers
        episodes = SoundEpisodeTracker(rules: settings.episodes)
        let rules = settings.episodes
        custom = settings.space.map { CustomHearing($0, rules: rules) }
        captureMode = wish.captureMode
        let format = try Self.pcm(wish, field: field)
        let design = try designs.design(from: format.sampleRateHz, field: field)
        do throws(AudioError) {
            sound = try SoundStream(
                format: format, voiceProcessed: wish.captureMode != .raw, nowUs: now.serverUs,
                design: design, stepSamples: settings.stepSamples)
        } catch {
            throw FieldProblem(
                field: "\(field).\(error.field)", expected: Self.accepted(error.field), got: error.message)
        }
    }

    private static func pcm(_ wish: AudioFormat, field: String) throws(FieldProblem) -> PCMFormat {
        let encoding: PCMFormat.Encoding
        switch wish.encoding {
        case .pcmS16le: encoding = .s16le
        case .pcmF32le: encoding = .f32le
        case .opus:
            throw FieldProblem(
                .unavailable, field: "\(field).encoding", expected: "PCM_S16LE or PCM_F32LE", got: "OPUS")
        case .unspecified, .unrecognized:
            throw FieldProblem(
                field: "\(field).encoding", expected: "PCM_S16LE or PCM_F32LE",
                got: "\(wish.encoding.rawValue)")
        }
        do throws(AudioError) {
            return try PCMFormat(
                encoding: encoding, sampleRateHz: UInt64(wish.sampleRateHz), channels: UInt64(wish.channels))
        } catch {
            throw FieldProblem(
                field: "\(field).\(error.field)", expected: Self.accepted(error.field), got: error.message)
        }
    }

    private static func accepted(_ field: String) -> String {
        field == "channels"
            ? "1…\(AudioLimits.maxChannels)"
            : "\(AudioLimits.minSampleRateHz)…\(AudioLimits.maxSampleRateHz) Hz"
    }

    // MARK: State for others

    var receivedSamples: UInt64 { earlierSamples &+ sound.sequence.acceptedSamples }
    var missingSamples: UInt64 { earlierMissing &+ sound.sequence.missingSamples }
    var estimatedRateHz: Double { sound.rate.estimate?.rateHz ?? 0 }
    var declaredRateHz: Int { sound.format.sampleRateHz }
    var gapCount: UInt64 { sound.gapCount }
    var health: StreamHealthMonitor { sound.health }

    /// How long so many bytes play in the format of now.
    func durationUs(ofBytes count: Int) -> UInt64 {
        let frames = UInt64(clamping: count / max(1, sound.format.bytesPerFrame))
        return frames * .secondUs / UInt64(clamping: max(1, sound.format.sampleRateHz))
    }

    /// Server time of a model sample, taking the newest sample as `now`.
    func serverUs(ofModelSample index: UInt64, at now: Now) -> UInt64 {
        let behind = min(sound.endSampleIndex.since(index), 1 << 40)
        return now.serverUs.since(behind * 1_000_000 / UInt64(AudioStepper.sampleRateHz))
    }

    /// The stream's own index of a model sample.
    func streamSample(ofModelSample index: UInt64) -> UInt64 { sound.sourceIndex(ofStream: index) }

    // MARK: Samples

    /// What one chunk brought, in the session's words.
    struct Taken: Sendable {
        var steps: [AudioStep] = []
        var alarms: [AlarmEvent] = []
        var gap: Range<UInt64>?
        var notice: Notice?
    }

    /// Something to warn about.
    struct Notice: Sendable {
        var kind: WarningKind
        var field: String
        var message: String
        var fix: String
    }

    mutating func take(_ chunk: AudioChunk, at now: Now) throws(FieldProblem) -> Taken {
        guard chunk.opusPackets.isEmpty else {
            throw FieldProblem(
                .unavailable, field: "audio_chunk.opus_packets", expected: "PCM in samples",
                got: "Opus packets")
        }
        var taken = Taken()
        guard !chunk.samples.isEmpty else {
            throw FieldProblem(field: "audio_chunk.samples", expected: "at least one frame", got: "none")
        }
        // Indices start at 0 again in a new format; a client that has sent all of the old one may also count on.
        if let pending = pendingFormat,
            chunk.firstSampleIndex == 0 || (sound.sequence.expectedIndex ?? 0) >= pending.fromIndex
        {
            carried = try adopt(pending.format, pending.mode, at: now)
        }
        try limitGaps(chunk, now)
        let output: SoundStream.Output
        do throws(AudioError) {
            output = try sound.receive(
                chunk.samples, firstSampleIndex: chunk.firstSampleIndex, captureUs: chunk.monoUs,
                nowUs: now.serverUs)
        } catch {
            throw FieldProblem(
                field: "audio_chunk.\(error.field)",
                expected:
                    "whole frames of \(sound.format.bytesPerFrame) bytes, at most \(AudioLimits.maxChunkMs) ms",
                got: error.message)
        }
        taken.steps = carried.steps + output.steps
        taken.alarms = carried.alarms + output.alarms
        carried = Taken()
        try judge(output.verdict, chunk, &taken)
        if health.reading?.isConstant == false { isHeard = true }
        if output.replacedSamples > 0 {
            taken.notice = Notice(
                kind: .badFrame, field: "audio_chunk.samples",
                message:
                    "\(output.replacedSamples) samples were not finite or far beyond full scale; read as 0 or cut",
                fix: "send finite floats within −1…1")
        }
        return taken
    }

    /// Bridging a gap costs up to 16 s of silence in the alarm detector; a real network makes a few a second at most.
    static let maxGapsPerSecond = 4

    private mutating func limitGaps(_ chunk: AudioChunk, _ now: Now) throws(FieldProblem) {
        guard let expected = sound.sequence.expectedIndex, chunk.firstSampleIndex > expected else { return }
        gapTimes.removeAll { now.serverUs.since($0) > .secondUs }
        guard gapTimes.count < Self.maxGapsPerSecond else {
            throw FieldProblem(
                .tooFast, field: "audio_chunk.first_sample_index",
                expected: "at most \(Self.maxGapsPerSecond) gaps a second", got: "one more",
                retryAfterMs: 1000)
        }
        gapTimes.append(now.serverUs)
    }

    private func judge(
        _ verdict: SequenceVerdict, _ chunk: AudioChunk, _ taken: inout Taken
    ) throws(FieldProblem) {
        let field = "audio_chunk.first_sample_index"
        switch verdict {
        case .accept: break
        case .skip(let known):
            taken.notice = Notice(
                kind: .duplicate, field: field, message: "\(known) samples came before; left out", fix: "")
        case .gap(let missing):
            taken.gap = chunk.firstSampleIndex.since(missing)..<chunk.firstSampleIndex
        case .duplicate:
            taken.notice = Notice(
                kind: .duplicate, field: field, message: "the chunk came before; left out", fix: "")
        case .late:
            taken.notice = Notice(
                kind: .outOfOrder, field: field, message: "the chunk is late; its time has passed",
                fix: "send chunks in order")
        case .invalid:
            throw FieldProblem(
                field: field, expected: "an index that does not overflow with the chunk",
                got: "\(chunk.firstSampleIndex)")
        }
    }

    // MARK: Format changes

    /// Announces another format, from sample `index` of the present one on.
    mutating func change(
        _ wish: AudioFormat, from index: UInt64, field: String, at now: Now
    ) throws(FieldProblem) -> Taken {
        let format = try Self.pcm(wish, field: field)
        _ = try designs.design(from: format.sampleRateHz, field: field)
        guard let expected = sound.sequence.expectedIndex, index > expected else {
            return try adopt(format, wish.captureMode, at: now)
        }
        pendingFormat = (format, wish.captureMode, index)
        return Taken()
    }

    private mutating func adopt(
        _ format: PCMFormat, _ mode: CaptureMode, at now: Now
    ) throws(FieldProblem) -> Taken {
        pendingFormat = nil
        let (samples, missing) = (receivedSamples, missingSamples)
        let design = try designs.design(from: format.sampleRateHz, field: "stream_format.audio")
        do throws(AudioError) {
            let output = try sound.change(
                to: format, voiceProcessed: mode != .raw, nowUs: now.serverUs, design: design)
            captureMode = mode
            (earlierSamples, earlierMissing) = (samples, missing)
            return Taken(steps: output.steps, alarms: output.alarms)
        } catch {
            throw FieldProblem(
                field: "stream_format.audio.\(error.field)", expected: Self.accepted(error.field),
                got: error.message)
        }
    }

    /// Puts the last samples through.
    mutating func finish() -> Taken {
        let output = sound.finish()
        return Taken(steps: output.steps, alarms: output.alarms)
    }

    /// Ends whatever still sounds.
    mutating func finishEpisodes() -> (known: [SoundEpisodeEvent], own: [EpisodeEvent<String>]) {
        (episodes.finish(), custom?.finish() ?? [])
    }

    mutating func evaluateHealth(at now: Now) -> StreamHealthChange? { sound.tick(nowUs: now.serverUs) }
}
