import SignalProcessing

/// Finds smoke and CO alarms by their rhythm, beside the network and independent of it.
///
/// Takes the 22,050 Hz stream. A short-time spectrum every 11.6 ms gives the tone level in each bin around 520 Hz, its
/// third harmonic and 2.2…4.2 kHz. In each bin the rhythm of pulses and pauses is tested on a grid of 0.5 s (T3) or
/// 0.1 s (T4) that may be 10 % (15 %) off: pulses must be even, equal and prominent over their surroundings, pauses
/// must lie clearly below them. All levels are relative: there is no volume gate.
///
/// - T3 is suspected after two pulses that follow silence (1.8 s), confirmed when the pattern goes on after its long
///   pause (5.7 s); one fault (a missed or uneven pulse, a filled short pause) is forgiven, never in the long pause.
/// - T4 is suspected after one group (1 s), confirmed by a second one of the same frequency and level 4.3…7.2 s after
///   it with silence between (6.7 s), or by a third when the pauses have grown, up to 66 s.
///
/// Independent of how the stream is cut. Memory about 0.15 MB.
///
/// Known failure: it still confirms what is no alarm. Measured: twice in 20 min of songs and speech, once in 98 min of
/// everyday sounds, once in 15 min of generated look-alikes (an alarm clock in groups of four).
public struct AlarmPatternDetector: Sendable {
    /// One group of T4 pulses.
    private struct Group: Sendable {
        var channel: Int
        var startFrame: Int
        var levelDBFS: Float
        var contrast: Float
        var unitFrames: Double
        var isWhole: Bool
    }

    /// An episode in progress.
    private struct Track: Sendable {
        var episode: AlarmEpisode
        var lastFrame: Int
        /// Frames without it after which it is over.
        var patience: Int
    }

    private static let scalesOfThree = [1.0, 0.95, 1.05, 0.9, 1.1]
    private static let scalesOfFour = [1.0, 0.9, 1.1, 0.82, 1.2]
    /// T3 alarms are over after three missing cycles, T4 after two missing groups.
    private static let patienceOfThree = seconds(13)
    private static let patienceOfFour = seconds(15)
    /// A suspicion is withdrawn if it is not confirmed within these.
    private static let suspicionOfThree = seconds(8)
    private static let suspicionOfFour = seconds(13)
    /// Groups remembered; older and weaker ones give way.
    private static let maxGroups = 64

    private var spectrum = ShortTimeSpectrum(
        size: TonalHistory.frameSamples, hopSamples: TonalHistory.hopSamples)
    private var history = TonalHistory()
    private var groups: [Group] = []
    private var tracks: [AlarmPattern: Track] = [:]
    private var nextNumber: UInt64 = 1
    /// Samples analysed or waiting for it.
    private var pushedSamples: UInt64 = 0
    /// Samples of long gaps that were skipped instead.
    private var skippedSamples: UInt64 = 0
    /// Frames that begin before this sample overlap a gap.
    private var unknownUntil: UInt64 = 0

    /// A detector at the start of a stream.
    public init() {}

    /// Suspected and confirmed alarms that sound now.
    public var activeEpisodes: [AlarmEpisode] {
        tracks.values.map(\.episode).sorted { $0.number < $1.number }
    }

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
            if now & 3 == 0 { lookForThree(now, &events) }
            if now & 1 == 0 { lookForFour(now, &events) }
            endOld(now, &events)
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
        tracks = [:]
        groups = []
        return events
    }

    private static func seconds(_ value: Double) -> Int { Int(value * TonalHistory.framesPerSecond) }

    private func sampleIndex(ofFrame frame: Int) -> UInt64 {
        // A pulse shows when it fills about half of a frame.
        let samples = max(0, frame * TonalHistory.hopSamples + TonalHistory.frameSamples / 2)
        return UInt64(samples) + skippedSamples
    }
}

// MARK: Three pulses

extension AlarmPatternDetector {
    private mutating func lookForThree(_ now: Int, _ events: inout [AlarmEvent]) {
        var begin: (channel: Int, match: PulseTemplate.Match)?
        var whole: (channel: Int, match: PulseTemplate.Match)?
        for channel in TonalHistory.bins.indices {
            // A pulse that ended a quarter of a second ago, or nearly a second ago; anything else is not worth a test.
            if fell(channel, pulse: (now - 56)..<(now - 30), pause: (now - 13)..<now) {
                best(&whole, channel, [.threeRepeats], now)
                if whole == nil { best(&begin, channel, [.threeBegins], now) }
            } else if fell(channel, pulse: (now - 108)..<(now - 82), pause: (now - 70)..<now) {
                best(&whole, channel, [.threeFromSecond, .threeFromThird], now)
            }
        }
        if let (channel, match) = whole {
            hear(.three, channel, match, isWhole: true, now, &events)
        } else if let (channel, match) = begin {
            hear(.three, channel, match, isWhole: false, now, &events)
        }
    }

    private func fell(_ channel: Int, pulse: Range<Int>, pause: Range<Int>) -> Bool {
        guard let loud = history.level(channel, pulse.lowerBound, pulse.upperBound),
            let quiet = history.level(channel, pause.lowerBound, pause.upperBound), loud - quiet >= 4
        else { return false }
        return history.prominence(channel, pulse.lowerBound, pulse.upperBound) >= 6
    }

    private func best(
        _ found: inout (channel: Int, match: PulseTemplate.Match)?, _ channel: Int,
        _ templates: [PulseTemplate], _ now: Int
    ) {
        for template in templates {
            for scale in Self.scalesOfThree {
                guard let match = template.match(history, channel: channel, now: now, scale: scale) else {
                    continue
                }
                if found.map({ match.contrast > $0.match.contrast }) ?? true { found = (channel, match) }
            }
        }
    }
}

// MARK: Four pulses

extension AlarmPatternDetector {
    private mutating func lookForFour(_ now: Int, _ events: inout [AlarmEvent]) {
        for channel in TonalHistory.bins.indices
        where fell(channel, pulse: (now - 32)..<(now - 28), pause: (now - 19)..<now) {
            var found: PulseTemplate.Match?
            for scale in Self.scalesOfFour {
                for template in [PulseTemplate.fourGroup, .fourGroupWithFault] {
                    guard let match = template.match(history, channel: channel, now: now, scale: scale) else {
                        continue
                    }
                    if found.map({ (match.faults, -match.contrast) < ($0.faults, -$0.contrast) }) ?? true {
                        found = match
                    }
                }
            }
            if let found { hearGroup(channel, found, now, &events) }
        }
    }

    private mutating func hearGroup(
        _ channel: Int, _ match: PulseTemplate.Match, _ now: Int, _ events: inout [AlarmEvent]
    ) {
        let group = Group(
            channel: channel, startFrame: match.startFrame, levelDBFS: match.levelDBFS,
            contrast: match.contrast, unitFrames: match.unitFrames, isWhole: match.faults == 0)
        let sameGroup = groups.firstIndex {
            $0.channel == channel && abs($0.startFrame - group.startFrame) <= Self.seconds(0.3)
        }
        if let sameGroup {
            let known = groups[sameGroup]
            if (group.isWhole ? 1 : 0, group.contrast) > (known.isWhole ? 1 : 0, known.contrast) {
                groups[sameGroup] = group
            }
        } else {
            groups.append(group)
            if groups.count > Self.maxGroups { groups.removeFirst() }
        }
        if isRepeated(group, now) {
            hear(.four, channel, match, isWhole: true, now, &events)
        } else if group.isWhole {
            hear(.four, channel, match, isWhole: false, now, &events)
        }
    }

    /// Whether another group came 4.3…7.2 s before with silence between, or two came at equal longer distances.
    private func isRepeated(_ group: Group, _ now: Int) -> Bool {
        let earlier = groups.filter {
            abs($0.channel - group.channel) <= 1 && abs($0.levelDBFS - group.levelDBFS) <= 4
                && abs($0.unitFrames - group.unitFrames) <= 0.12 * group.unitFrames
                && $0.startFrame < group.startFrame - Self.seconds(2)
        }
        for other in earlier where other.isWhole || group.isWhole {
            let distance = group.startFrame - other.startFrame
            if distance >= Self.seconds(4.3), distance <= Self.seconds(7.2),
                isSilent(
                    group.channel, other.startFrame + Self.seconds(1.1), group.startFrame - Self.seconds(0.3),
                    group)
            {
                return true
            }
            guard distance > Self.seconds(7.2), distance <= Self.seconds(66) else { continue }
            let isRegular = earlier.contains { third in
                abs(other.startFrame - third.startFrame - distance) <= distance / 16
            }
            let between = earlier.contains {
                $0.startFrame > other.startFrame + Self.seconds(2)
            }
            if isRegular && !between { return true }
        }
        return false
    }

    private func isSilent(_ channel: Int, _ from: Int, _ to: Int, _ group: Group) -> Bool {
        let tenth = Self.seconds(0.1)
        var noisy = 0
        for start in stride(from: from, to: to - tenth, by: tenth) {
            guard let level = history.level(channel, start, start + tenth) else { return false }
            if level > group.levelDBFS - max(5, 0.5 * group.contrast) { noisy += 1 }
        }
        return noisy <= 1
    }
}

// MARK: Episodes

extension AlarmPatternDetector {
    private mutating func hear(
        _ pattern: AlarmPattern, _ channel: Int, _ match: PulseTemplate.Match, isWhole: Bool, _ now: Int,
        _ events: inout [AlarmEvent]
    ) {
        let onset = sampleIndex(ofFrame: match.startFrame)
        let confidence = min(0.99, (isWhole ? 0.75 : 0.4) + match.contrast / 80 - 0.1 * Float(match.faults))
        guard var track = tracks[pattern] else {
            let episode = AlarmEpisode(
                number: nextNumber, pattern: pattern, isConfirmed: isWhole, onsetSampleIndex: onset,
                lastHeardSampleIndex: sampleIndex(ofFrame: now),
                frequencyHz: Double(TonalHistory.bins[channel]) * TonalHistory.binHz,
                contrastDecibels: match.contrast, confidence: confidence)
            nextNumber += 1
            tracks[pattern] = Track(
                episode: episode, lastFrame: now, patience: patience(of: pattern, isWhole))
            events.append(isWhole ? .confirmed(episode) : .suspected(episode))
            return
        }
        track.episode.lastHeardSampleIndex = sampleIndex(ofFrame: now)
        track.episode.contrastDecibels = max(track.episode.contrastDecibels, match.contrast)
        track.episode.confidence = max(track.episode.confidence, confidence)
        if isWhole && !track.episode.isConfirmed {
            track.episode.isConfirmed = true
            track.episode.frequencyHz = Double(TonalHistory.bins[channel]) * TonalHistory.binHz
            track.episode.onsetSampleIndex = min(track.episode.onsetSampleIndex, onset)
            events.append(.confirmed(track.episode))
        }
        if track.episode.isConfirmed {
            let distance = now - track.lastFrame
            let usual = patience(of: pattern, true)
            track.patience = pattern == .four ? max(usual, min(Self.seconds(140), distance * 9 / 4)) : usual
        }
        track.lastFrame = now
        tracks[pattern] = track
    }

    private func patience(of pattern: AlarmPattern, _ isConfirmed: Bool) -> Int {
        switch pattern {
        case .three: isConfirmed ? Self.patienceOfThree : Self.suspicionOfThree
        case .four: isConfirmed ? Self.patienceOfFour : Self.suspicionOfFour
        }
    }

    private mutating func endOld(_ now: Int, _ events: inout [AlarmEvent]) {
        for pattern in [AlarmPattern.three, .four] {
            guard let track = tracks[pattern], now - track.lastFrame > track.patience else { continue }
            tracks[pattern] = nil
            events.append(.ended(track.episode))
        }
    }
}
