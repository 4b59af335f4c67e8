import SignalProcessing

/// Finds smoke and CO alarms and low-battery chirps by their rhythm, beside the network and independent of it.
///
/// Takes the 22,050 Hz stream. A short-time spectrum every 20 ms gives the tone level in each bin around 520 Hz, its
/// third harmonic and 2.2…4.2 kHz. Where a tone begins, the beats before it are tested against the rhythms of
/// ``PulseTemplate``; nothing is searched where none does. All levels are relative: there is no volume gate, but for
/// the tones that rounding to 16 bits makes.
///
/// - T3 is suspected after two pulses that follow silence (1.75 s), confirmed in the fifth pulse, after the long pause
///   (5.5 s). A masked pulse or pause is forgiven, never in the long pause; with a silent pulse both groups must be
///   heard whole (7.5 s, 8.5 s).
/// - T4 is suspected after one group and a second of silence (1.8 s), confirmed by a second one of the same frequency
///   and level 4.8…6.8 s after it with silence between (7.1 s), or by a third when the pauses have grown, up to 66 s.
///   Above 2 kHz what is left of a covered group counts beside a whole one (8.6 s), and an overtone of a lower tone that
///   beats along is none.
/// - A chirp is a lone beep of up to 0.2 s; three at equal distances of 28…62 s are a low battery (``ChirpTracker``).
///
/// Independent of how the stream is cut. Memory about 93 KB.
public struct AlarmPatternDetector: Sendable {
    private var spectrum = ShortTimeSpectrum(
        size: TonalHistory.frameSamples, hopSamples: TonalHistory.hopSamples,
        lastBin: TonalHistory.lastBin)
    var history = TonalHistory()
    var groups = FourGroups()
    /// Whole groups that no other one came before, oldest first.
    var lonelyGroups: [Finding] = []
    static let maxLonelyGroups = 8
    var chirps = ChirpTracker()
    var alarms = OpenAlarms()
    /// Samples analysed or waiting for it.
    private var pushedSamples: UInt64 = 0
    /// Samples of long gaps that were skipped instead.
    private var skippedSamples: UInt64 = 0
    /// Frames that begin before this sample overlap a gap.
    private var unknownUntil: UInt64 = 0

    /// A detector at the start of a stream.
    public init() {}

    /// Suspected and confirmed alarms that sound now.
    public var activeEpisodes: [AlarmEpisode] { alarms.episodes }

    /// Adds samples of the 22,050 Hz stream; returns what changed, oldest first.
    public mutating func push(_ samples: [Float]) -> [AlarmEvent] {
        var events: [AlarmEvent] = []
        pushedSamples += UInt64(samples.count)
        spectrum.append(samples)
        while let powers = spectrum.next() {
            if UInt64(history.frameCount) * UInt64(TonalHistory.hopSamples) < unknownUntil {
                history.appendUnknown()
            } else {
                history.append(powers: powers)
            }
            let now = history.frameCount
            lookForThree(now, &events)
            lookForShort(now, &events)
            alarms.endOld(now: now, &events)
        }
        return events
    }

    /// Adds a gap of samples that were never received. It counts neither as pulse nor as pause. Of a gap longer than
    /// 16 s the rest is skipped: every pattern is over by then.
    public mutating func pushGap(_ count: UInt64) -> [AlarmEvent] {
        let limited = min(count, UInt64(16 * 22_050))
        skippedSamples += count - limited
        unknownUntil = pushedSamples + limited
        return push([Float](repeating: 0, count: Int(limited)))
    }

    /// Ends what sounds, when the stream is over.
    public mutating func finish() -> [AlarmEvent] {
        let events = activeEpisodes.map { AlarmEvent.ended($0) }
        alarms = OpenAlarms()
        groups = FourGroups()
        lonelyGroups = []
        chirps = ChirpTracker()
        return events
    }

    /// Stream sample of a beginning in `frame`.
    func sampleIndex(ofFrame frame: Int) -> UInt64 {
        let samples = max(0, frame * TonalHistory.hopSamples + TonalHistory.frameSamples / 2)
        return UInt64(samples) + skippedSamples
    }
}
