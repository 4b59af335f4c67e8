public import SignalProcessing

/// One audio stream of a session, from the bytes of its chunks to steps for the network, alarms and health.
///
/// Sans-IO: instants are passed in as microseconds of one monotonic clock. A chunk is judged by its sample index,
/// decoded, metered, mixed to one channel, resampled to 22,050 Hz and given to the stepper and the alarm detector.
/// Gaps become silence of the same length and count as blind; a gap or a change of format fades out and in over 3 ms,
/// so that it makes no click. Stream time is the 22,050 Hz sample index since the stream was opened; each gap and
/// change of format rounds it to whole samples.
///
/// Of its memory 28 KB are the step that fills; the network's own state is kept by whoever runs it. The resampler's table is shared
/// where it is passed in.
public struct SoundStream: Sendable {
    /// What a chunk brought.
    public struct Output: Equatable, Sendable {
        /// How the chunk fits after those before it.
        public var verdict: SequenceVerdict
        /// Steps that became complete, for the network.
        public var steps: [AudioStep] = []
        /// Alarms that began, were confirmed or ended.
        public var alarms: [AlarmEvent] = []
        /// Samples that were not finite or far beyond full scale, and were replaced.
        public var replacedSamples = 0
        /// Measured / declared sample rate while they differ: labels of the network are not to be trusted then.
        public var rateMismatch: Double?
    }

    /// Where stream time and the source's samples meet: the start of a run without gaps.
    private struct Anchor: Sendable {
        var sourceIndex: UInt64
        var streamIndex: UInt64
    }

    /// Longest gap that is kept in stream time; a longer jump of the index is cut to it.
    public static let maxGapSeconds: UInt64 = 86_400

    /// Format of the chunks.
    public private(set) var format: PCMFormat
    /// Counts of gaps, duplicates and accepted samples, in the current format.
    public private(set) var sequence = SequenceTracker()
    /// Measured sample rate.
    public private(set) var rate: RateEstimator
    /// Whether the stream can be heard.
    public private(set) var health: StreamHealthMonitor
    /// Gaps over all formats.
    public private(set) var gapCount: UInt64 = 0

    private var meter: LevelMeter
    private var mixer: Downmix
    private var resampler: Resampler
    private var stepper: AudioStepper
    private var detector = AlarmPatternDetector()
    private var anchor: Anchor?
    private var capture: (streamIndex: UInt64, us: UInt64)?

    /// A stream opened at `nowUs`. Pass the `design` of its rate where one is at hand; else it is computed (some
    /// milliseconds).
    public init(
        format: PCMFormat, voiceProcessed: Bool = false, nowUs: UInt64, design: ResamplerDesign? = nil,
        stepSamples: Int = AudioStepper.stepSamples, healthRules: StreamHealthRules = StreamHealthRules()
    ) throws(AudioError) {
        self.format = format
        stepper = AudioStepper(stepSamples: stepSamples)
        resampler = Resampler(design: try Self.design(design, for: format))
        meter = LevelMeter(sampleRateHz: format.sampleRateHz, channels: format.channels)
        mixer = Downmix(sampleRateHz: format.sampleRateHz, channels: format.channels)
        rate = RateEstimator(declaredRateHz: format.sampleRateHz)
        health = StreamHealthMonitor(openedUs: nowUs, voiceProcessed: voiceProcessed, rules: healthRules)
    }

    /// Index after the newest sample of stream time (22,050 Hz).
    public var endSampleIndex: UInt64 { stepper.endSampleIndex }

    /// Alarms that are suspected or confirmed now.
    public var activeAlarms: [AlarmEpisode] { detector.activeEpisodes }

    /// Takes one chunk. `firstSampleIndex` counts samples per channel since the format began, `captureUs` is the
    /// device's clock at its first sample (0 = not told), `nowUs` the server's.
    ///
    /// Throws without any change of state if the bytes are not whole frames or too many.
    public mutating func receive(
        _ bytes: [UInt8], firstSampleIndex: UInt64, captureUs: UInt64, nowUs: UInt64
    ) throws(AudioError) -> Output {
        var chunk = try PCMDecoder.decode(bytes, format: format)
        let verdict = sequence.receive(firstSampleIndex: firstSampleIndex, count: UInt64(chunk.frames))
        var output = Output(verdict: verdict, replacedSamples: chunk.replacedSamples)
        switch verdict {
        case .duplicate, .late, .invalid:
            output.rateMismatch = rate.mismatchRatio
            return output
        case .skip(let samples):
            chunk.samples.removeFirst(Int(samples) * format.channels)
        case .gap(let samples):
            skip(samples, to: firstSampleIndex, &output)
        case .accept:
            break
        }
        if anchor == nil {
            anchor = Anchor(sourceIndex: firstSampleIndex, streamIndex: stepper.endSampleIndex)
        }
        if captureUs > 0 {
            rate.note(firstSampleIndex: firstSampleIndex, captureUs: captureUs)
            capture = (streamIndex(ofSource: firstSampleIndex), captureUs)
        }
        meter.push(interleaved: chunk.samples)
        health.noteChunk(meter.reading, mismatchRatio: rate.mismatchRatio, nowUs: nowUs)
        deliver(resampler.process(mixer.process(chunk.samples)), &output)
        output.rateMismatch = rate.mismatchRatio
        return output
    }

    /// Continues in another format, whose sample index starts at 0 again; what the old one still held comes out.
    public mutating func change(
        to next: PCMFormat, voiceProcessed: Bool = false, nowUs: UInt64, design: ResamplerDesign? = nil
    ) throws(AudioError) -> Output {
        let nextDesign = try Self.design(design, for: next)
        var output = Output(verdict: .accept)
        deliver(resampler.finish(fadesOut: true), &output)
        format = next
        resampler = Resampler(design: nextDesign, fadesIn: true)
        meter = LevelMeter(sampleRateHz: next.sampleRateHz, channels: next.channels)
        mixer = Downmix(sampleRateHz: next.sampleRateHz, channels: next.channels)
        rate = RateEstimator(declaredRateHz: next.sampleRateHz)
        sequence = SequenceTracker(startingAt: 0)
        anchor = Anchor(sourceIndex: 0, streamIndex: stepper.endSampleIndex)
        health.formatChanged(voiceProcessed: voiceProcessed, nowUs: nowUs)
        return output
    }

    /// Ends the stream: the last steps, and the end of every alarm.
    public mutating func finish() -> Output {
        var output = Output(verdict: .accept)
        deliver(resampler.finish(), &output)
        // The rest of a step is heard too, followed by silence.
        output.steps += stepper.finish()
        output.alarms += detector.finish()
        return output
    }

    /// A step was judged by the network, or skipped on purpose; the oldest that still waits came at `waitingSinceUs`.
    public mutating func noteInference(nowUs: UInt64, waitingSinceUs: UInt64? = nil) {
        health.noteInference(nowUs: nowUs, waitingSinceUs: waitingSinceUs)
    }

    /// The network did not get to `samples` of stream time: they were not judged and will not be.
    public mutating func noteLost(samples: UInt64, nowUs: UInt64) {
        let durationUs = samples * 1_000_000 / UInt64(AudioStepper.sampleRateHz)
        health.noteLost(durationUs: durationUs, nowUs: nowUs)
    }

    /// Looks at the clock, at least once a second. Returns a change of health to announce, if any.
    public mutating func tick(nowUs: UInt64) -> StreamHealthChange? { health.evaluate(nowUs: nowUs) }

    /// The source's own sample index (in the current format) of an instant in stream time; what lies before the
    /// current run of samples reads as its first.
    public func sourceIndex(ofStream index: UInt64) -> UInt64 {
        guard let anchor, index > anchor.streamIndex else { return anchor?.sourceIndex ?? 0 }
        let seconds = Double(index - anchor.streamIndex) / Double(AudioStepper.sampleRateHz)
        return anchor.sourceIndex &+ UInt64((seconds * Double(format.sampleRateHz)).rounded())
    }

    /// The device's clock at an instant in stream time, or nil while no chunk told it.
    public func captureUs(ofStream index: UInt64) -> UInt64? {
        guard let capture else { return nil }
        let offset = (Double(index) - Double(capture.streamIndex)) / Double(AudioStepper.sampleRateHz) * 1e6
        let result = Double(capture.us) + offset
        return result > 0 && result < 0x1p63 ? UInt64(result) : nil
    }

    private func streamIndex(ofSource index: UInt64) -> UInt64 {
        guard let anchor, index > anchor.sourceIndex else { return anchor?.streamIndex ?? 0 }
        let seconds = Double(index - anchor.sourceIndex) / Double(format.sampleRateHz)
        return anchor.streamIndex + UInt64((seconds * Double(AudioStepper.sampleRateHz)).rounded())
    }

    private mutating func skip(_ samples: UInt64, to index: UInt64, _ output: inout Output) {
        deliver(resampler.finish(fadesOut: true), &output)
        resampler = Resampler(design: resampler.design, fadesIn: true)
        let rateHz = UInt64(format.sampleRateHz)
        let limited = min(samples, Self.maxGapSeconds * rateHz)
        let silence = (limited * UInt64(AudioStepper.sampleRateHz) + rateHz / 2) / rateHz
        output.steps += stepper.pushGap(silence)
        output.alarms += detector.pushGap(silence)
        gapCount += 1
        // An index that leaps says nothing of the rate any more.
        if samples > 60 * rateHz { rate = RateEstimator(declaredRateHz: format.sampleRateHz) }
        health.noteGap(durationUs: limited * 1_000_000 / rateHz)
        anchor = Anchor(sourceIndex: index, streamIndex: stepper.endSampleIndex)
    }

    private mutating func deliver(_ samples: [Float], _ output: inout Output) {
        output.steps += stepper.push(samples)
        output.alarms += detector.push(samples)
    }

    private static func design(
        _ design: ResamplerDesign?, for format: PCMFormat
    ) throws(AudioError) -> ResamplerDesign {
        if let design, design.inputRateHz == format.sampleRateHz,
            design.outputRateHz == AudioStepper.sampleRateHz
        {
            return design
        }
        return try ResamplerDesign(
            inputRateHz: format.sampleRateHz, outputRateHz: AudioStepper.sampleRateHz)
    }
}
