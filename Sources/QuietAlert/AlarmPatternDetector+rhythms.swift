/// Where each rhythm is looked for.
extension AlarmPatternDetector {
    /// A rhythm in a channel.
    struct Finding: Sendable {
        var channel: Int
        var match: PulseTemplate.Match
        var isWhole: Bool
        var frequencyHz: Double
    }

    /// Channels whose tone lies in their own bin: a tone shows in its neighbours too.
    private static let centred: Float = 0.75

    /// Calls `body` with each channel in which a tone began in frame `edge`.
    private func forEachEdge(_ edge: Int, _ body: (Int) -> Void) {
        var rest = history.edges(at: edge)
        while rest != 0 {
            body(rest.trailingZeroBitCount)
            rest &= rest - 1
        }
    }

    /// Whether frames `on` are at least `step` dB above frames `off`, as far as both are known.
    private func stands(_ channel: Int, _ on: Range<Int>, above off: Range<Int>, by step: Float) -> Bool {
        guard let loud = history.level(channel, on.lowerBound, on.upperBound),
            let quiet = history.level(channel, off.lowerBound, off.upperBound)
        else { return true }
        return loud - quiet >= step
    }

    /// Whether frames from ..< to hold one steady tone in the middle of the channel: what is worth a closer look.
    private func isTone(_ channel: Int, _ from: Int, _ to: Int, unsteadiness: Float) -> Bool {
        guard let level = history.level(channel, from, to) else { return false }
        let found = history.census(channel, from, to, pulse: level, spread: 6, quiet: level - 9)
        return found.on * 2 >= found.all && found.prominence >= 7.5 && abs(found.place) <= Self.centred
            && found.unsteadiness <= unsteadiness
    }

    /// Whether a group of four is the overtone of a lower tone.
    private func isOvertone(_ match: PulseTemplate.Match, _ frequencyBins: Float, _ now: Int) -> Bool {
        let start = Double(match.startFrame)
        let pulses = [0.0, 2, 4, 6].map { position in
            (
                Int((start + (position + 0.2) * match.unitFrames).rounded()),
                Int((start + (position + 0.85) * match.unitFrames).rounded())
            )
        }
        return history.hasToneBelow(
            frequencyBins, levelDBFS: match.levelDBFS, pulses: pulses, pause: (now - 15, now))
    }

    /// Whether a beep began in frame `edge` in the middle of the channel; it may be no longer than one frame.
    private func isBeep(_ channel: Int, from edge: Int) -> Bool {
        // Music is full of notes near 520 Hz: there both frames must hold it.
        guard TonalHistory.isPiezo(channel) else {
            return isTone(channel, edge + 1, edge + 3, unsteadiness: 6)
        }
        guard let level = history.peak(channel, edge + 1, edge + 4) else { return false }
        let found = history.census(channel, edge + 1, edge + 3, pulse: level, spread: 6, quiet: level - 9)
        return found.on > 0 && found.prominence >= 7.5 && abs(found.place) <= Self.centred
    }

    private func finding(
        _ template: PulseTemplate, _ channel: Int, anchor: Int, edge: Int, now: Int, isWhole: Bool
    ) -> Finding? {
        guard
            let match = template.bestMatch(history, channel: channel, anchor: anchor, edge: edge, now: now),
            abs(match.place) <= Self.centred
        else { return nil }
        var frequencyBins = Float(TonalHistory.bins[channel]) + match.place
        // Odd harmonics make the sounders of 520 Hz: the third is 10 dB below the first, and none sounds without it.
        let pulse = min(now, edge + (match.unitFrames < 10 ? 4 : 18))
        if TonalHistory.isThirdHarmonic(channel) {
            let fundamental = min(2, max(0, Int((frequencyBins / 3).rounded()) - TonalHistory.bins[0]))
            guard let level = history.level(fundamental, edge + 1, pulse), level >= match.levelDBFS - 8 else {
                return nil
            }
            frequencyBins /= 3
        } else if !TonalHistory.isPiezo(channel) {
            let third = min(10, max(3, Int((frequencyBins * 3).rounded()) - TonalHistory.bins[3] + 3))
            guard let level = history.level(third, edge + 1, pulse), level >= match.levelDBFS - 18 else {
                return nil
            }
        }
        if TonalHistory.isPiezo(channel), match.unitFrames < 10, isOvertone(match, frequencyBins, now) {
            return nil
        }
        let frequencyHz = Double(frequencyBins) * TonalHistory.binHz
        guard Sounder.bands.contains(where: { $0.contains(frequencyHz) }) else { return nil }
        return Finding(channel: channel, match: match, isWhole: isWhole, frequencyHz: frequencyHz)
    }
}

// MARK: Three pulses

extension AlarmPatternDetector {
    mutating func lookForThree(_ now: Int, _ events: inout [AlarmEvent]) {
        var best: Finding?
        func take(_ finding: Finding?) {
            guard let finding else { return }
            if let known = best,
                (known.isWhole ? 1 : 0, known.match.contrast)
                    >= (finding.isWhole ? 1 : 0, finding.match.contrast)
            {
                return
            }
            best = finding
        }
        let sounding = now - PulseTemplate.soundingDelay
        forEachEdge(sounding) { channel in
            let on = (sounding + 3)..<(now - 1)
            guard stands(channel, on, above: (sounding - 14)..<(sounding - 3), by: 4),
                isTone(channel, sounding + 3, now - 1, unsteadiness: 4)
            else { return }
            take(finding(.threeRepeats, channel, anchor: 4, edge: sounding, now: now, isWhole: true))
            take(finding(.threeRepeatsLate, channel, anchor: 5, edge: sounding, now: now, isWhole: true))
            take(finding(.threeFromThird, channel, anchor: 4, edge: sounding, now: now, isWhole: true))
            take(finding(.threeAcrossSilent, channel, anchor: 5, edge: sounding, now: now, isWhole: true))
        }
        let next = now - PulseTemplate.nextSoundingDelay
        forEachEdge(next) { channel in
            let on = (next + 3)..<(next + 20)
            guard stands(channel, on, above: (next + 35)..<(next + 43), by: 4),
                stands(channel, on, above: (next - 14)..<(next - 3), by: 4),
                isTone(channel, next + 3, next + 20, unsteadiness: 4)
            else { return }
            take(finding(.threeRepeats, channel, anchor: 3, edge: next, now: now, isWhole: true))
            take(finding(.threeRepeatsLate, channel, anchor: 4, edge: next, now: now, isWhole: true))
            take(finding(.threeTwice, channel, anchor: 5, edge: next, now: now, isWhole: true))
        }
        let two = now - PulseTemplate.twoDelay
        forEachEdge(two) { channel in
            let on = (two + 3)..<(two + 20)
            guard stands(channel, on, above: (now - 6)..<now, by: 4),
                stands(channel, on, above: (two - 14)..<(two - 3), by: 4),
                isTone(channel, two + 3, two + 20, unsteadiness: 4)
            else { return }
            take(finding(.threeBegins, channel, anchor: 1, edge: two, now: now, isWhole: false))
        }
        let first = now - PulseTemplate.twoFromFirstDelay
        forEachEdge(first) { channel in
            let on = (first + 3)..<(first + 20)
            guard stands(channel, on, above: (now - 6)..<now, by: 4),
                stands(channel, on, above: (first + 35)..<(first + 43), by: 4),
                isTone(channel, first + 3, first + 20, unsteadiness: 4)
            else { return }
            take(finding(.threeBegins, channel, anchor: 0, edge: first, now: now, isWhole: false))
        }
        if let best { hear(.three, best, now, &events) }
    }
}

// MARK: Four pulses, and single ones

extension AlarmPatternDetector {
    mutating func lookForShort(_ now: Int, _ events: inout [AlarmEvent]) {
        lookForPartialFour(now, &events)
        lookForNextFour(now, &events)
        let edge = now - PulseTemplate.shortDelay
        var rest = history.edges(at: edge)
        var chirp: Chirp?
        while rest != 0 {
            let channel = rest.trailingZeroBitCount
            rest &= rest - 1
            let on = (edge + 1)..<(edge + 3)
            guard stands(channel, on, above: (edge + 15)..<now, by: 8),
                stands(channel, on, above: (edge - 80)..<(edge - 40), by: 8),
                isBeep(channel, from: edge)
            else { continue }
            if let found = finding(.four, channel, anchor: 3, edge: edge, now: now, isWhole: false)
                ?? finding(.fourByThird, channel, anchor: 2, edge: edge, now: now, isWhole: false)
                ?? finding(.fourWithFault, channel, anchor: 3, edge: edge, now: now, isWhole: false)
                ?? finding(.fourWithFault, channel, anchor: 2, edge: edge, now: now, isWhole: false)
            {
                hearGroup(found, now, &events)
            } else if let found = Chirp(history, channel: channel, edge: edge, now: now),
                found.levelDBFS > chirp?.levelDBFS ?? -.infinity
            {
                chirp = found
            }
        }
        if let chirp, let series = chirps.hear(chirp) { hear(series, chirp, now, &events) }
    }

    /// Where a group was heard before, the next one confirms it as soon as its end is certain.
    private mutating func lookForNextFour(_ now: Int, _ events: inout [AlarmEvent]) {
        guard !groups.isEmpty else { return }
        let edge = now - PulseTemplate.nextFourDelay
        var best: Finding?
        forEachEdge(edge) { channel in
            guard stands(channel, (edge + 1)..<(edge + 3), above: (edge + 15)..<now, by: 8),
                isBeep(channel, from: edge),
                let found = finding(.fourNext, channel, anchor: 3, edge: edge, now: now, isWhole: true)
                    ?? finding(.fourNextWithFault, channel, anchor: 3, edge: edge, now: now, isWhole: true),
                groups.isRepeated(group(found), history)
            else { return }
            if best?.match.contrast ?? 0 < found.match.contrast { best = found }
        }
        if let best { hear(.four, best, now, &events) }
    }

    private func group(_ found: Finding) -> FourGroups.Group {
        let match = found.match
        return FourGroups.Group(
            channel: found.channel,
            frequencyBins: Float(TonalHistory.bins[found.channel]) + match.place,
            startFrame: match.startFrame, levelDBFS: match.levelDBFS, contrast: match.contrast,
            unitFrames: match.unitFrames, isWhole: match.faults == 0)
    }

    private mutating func hearGroup(_ found: Finding, _ now: Int, _ events: inout [AlarmEvent]) {
        let group = group(found)
        var finding = found
        finding.isWhole = groups.hear(group, history)
        if !finding.isWhole, group.isWhole {
            let start = found.match.startFrame
            let (nearest, farthest) = (PartialFour.distances.lowerBound, PartialFour.distances.upperBound)
            if let before = partial(beside: found, in: (start - farthest)..<(start - nearest)) {
                finding.isWhole = true
                finding.match.startFrame = before
            } else if lonelyGroups.last?.match.startFrame ?? -1_000 < start - 10 {
                if lonelyGroups.count == Self.maxLonelyGroups { lonelyGroups.removeFirst() }
                lonelyGroups.append(found)
            }
        }
        if finding.isWhole || group.isWhole { hear(.four, finding, now, &events) }
    }

    /// Where a whole group was heard and no other one after it, what is left of one is looked for.
    private mutating func lookForPartialFour(_ now: Int, _ events: inout [AlarmEvent]) {
        guard let found = lonelyGroups.first, now >= found.match.startFrame + PartialFour.delay else {
            return
        }
        lonelyGroups.removeFirst()
        let start = found.match.startFrame
        let (nearest, farthest) = (PartialFour.distances.lowerBound, PartialFour.distances.upperBound)
        guard partial(beside: found, in: (start + nearest)..<(start + farthest)) != nil else { return }
        var finding = found
        finding.isWhole = true
        hear(.four, finding, now, &events)
    }

    /// Frame in which another group of the sounder of `found` began, in `starts`, with silence between. Not asked at
    /// 520 Hz, where music has notes enough to complete any rhythm.
    private func partial(beside found: Finding, in starts: Range<Int>) -> Int? {
        guard TonalHistory.isPiezo(found.channel),
            let whole = PartialFour(
                history, channel: found.channel, start: found.match.startFrame,
                unitFrames: found.match.unitFrames, contrast: found.match.contrast),
            let start = whole.start(in: starts, history)
        else { return nil }
        let here = group(found)
        var there = here
        there.startFrame = start
        let (first, second) = start < here.startFrame ? (there, here) : (here, there)
        return groups.isSilent(between: first, and: second, history) ? start : nil
    }
}

// MARK: What was heard

extension AlarmPatternDetector {
    private mutating func hear(
        _ pattern: AlarmPattern, _ found: Finding, _ now: Int, _ events: inout [AlarmEvent]
    ) {
        let match = found.match
        let certainty = (found.isWhole ? 0.75 : 0.4) + match.contrast / 80 - 0.1 * Float(match.faults)
        let sighting = OpenAlarms.Sighting(
            pattern: pattern, isWhole: found.isWhole, frequencyHz: found.frequencyHz,
            contrast: match.contrast, confidence: min(0.99, certainty),
            onsetSampleIndex: sampleIndex(ofFrame: match.startFrame),
            heardSampleIndex: sampleIndex(ofFrame: now), frame: now)
        alarms.hear(sighting, &events)
    }

    /// A series of chirps began or went on.
    private mutating func hear(
        _ series: ChirpTracker.Series, _ chirp: Chirp, _ now: Int, _ events: inout [AlarmEvent]
    ) {
        let sighting = OpenAlarms.Sighting(
            pattern: .lowBattery, isWhole: true,
            frequencyHz: Double(chirp.frequencyBins) * TonalHistory.binHz, contrast: chirp.contrast,
            confidence: min(0.99, 0.7 + chirp.contrast / 80),
            onsetSampleIndex: sampleIndex(ofFrame: series.firstFrame),
            heardSampleIndex: sampleIndex(ofFrame: now), frame: now, patience: series.distanceFrames * 5 / 2)
        alarms.hear(sighting, &events)
    }
}
