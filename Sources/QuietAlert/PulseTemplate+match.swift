/// Whether a channel shows the rhythm.
extension PulseTemplate {
    /// The best match over all lengths of the unit, where pulse number `anchor` began in frame `edge`.
    func bestMatch(_ history: TonalHistory, channel: Int, anchor: Int, edge: Int, now: Int) -> Match? {
        var best: Match?
        for scale in scales {
            let unit = unitFrames * scale
            let grid = Grid(start: Double(edge) - pulses[anchor] * unit, unit: unit, now: now)
            guard let match = match(history, channel, grid, anchor) else { continue }
            if let known = best, (known.faults, -known.fill) <= (match.faults, -match.fill) { continue }
            best = match
        }
        // Judged by the best length alone: another one might just miss the pulse that is too many.
        if let found = best, outside.contains(where: { holdsPulse(history, channel, found, at: $0) }) {
            return nil
        }
        return best
    }

    /// Where the units lie.
    private struct Grid {
        /// Frame of the first pulse's beginning, and length of a unit in frames.
        var start: Double
        var unit: Double
        var now: Int

        /// Frames of from ..< to, in units; at least one.
        func frames(_ from: Double, _ to: Double) -> (Int, Int) {
            let first = Int((start + from * unit).rounded())
            return (first, max(first + 1, Int((start + to * unit).rounded())))
        }

        func frames(_ part: ClosedRange<Double>, of position: Double) -> (Int, Int) {
            frames(position + part.lowerBound, position + part.upperBound)
        }

        /// The same, as far as it has been heard.
        func heardFrames(_ part: ClosedRange<Double>, of position: Double) -> (Int, Int) {
            let (from, to) = frames(part, of: position)
            return (from, min(to, now))
        }
    }

    /// The level of the pulses, and how far they stand out.
    private struct Levels {
        var pulse: Float
        var contrast: Float

        func census(
            _ history: TonalHistory, _ channel: Int, _ frames: (Int, Int), isPause: Bool
        ) -> TonalHistory.Census {
            history.census(
                channel, frames.0, frames.1, pulse: pulse, spread: max(4, 0.25 * contrast),
                quiet: pulse - max(4, 0.5 * contrast), isPause: isPause)
        }
    }

    private func match(_ history: TonalHistory, _ channel: Int, _ grid: Grid, _ anchor: Int) -> Match? {
        // Cheap looks first: nearly all candidates fail the first one, and long silences tell most others apart.
        guard looksRight(history, channel, grid, anchor: anchor), let levels = levels(history, channel, grid),
            hasSilences(history, channel, grid, levels),
            let maskedPauses = maskedPauses(history, channel, grid, levels)
        else { return nil }
        return judgePulses(history, channel, grid, levels, maskedPauses)
    }

    private func holdsPulse(
        _ history: TonalHistory, _ channel: Int, _ match: Match, at position: Double
    ) -> Bool {
        let grid = Grid(start: Double(match.startFrame), unit: match.unitFrames, now: 0)
        let (from, to) = grid.frames(pulsePart, of: position)
        guard let mean = history.level(channel, from, to), let peak = history.peak(channel, from, to) else {
            return false
        }
        // Before the group there is no echo. After it there may be; echoes may also hollow out a pulse.
        if position < 0 { return peak > match.levelDBFS - 6 }
        return mean > match.levelDBFS - 6 && peak > match.levelDBFS - 3.5
    }

    /// Whether the middles of the pulses are near the level of the anchor's and those of the pauses below it, with as
    /// many exceptions as may be. Leaves at the first contradiction.
    private func looksRight(
        _ history: TonalHistory, _ channel: Int, _ grid: Grid, anchor: Int
    ) -> Bool {
        func level(_ position: Double) -> Float? {
            history.level(channel, atFrame: Int(grid.start + (position + 0.5) * grid.unit + 0.5))
        }
        guard let reference = level(pulses[anchor]) else { return true }
        var exceptions = 2 * maxMasked + (mayMiss.isEmpty ? 0 : 1)
        for position in pulses where level(position) ?? -200 < reference - 10 {
            exceptions -= 1
            if exceptions < 0 { return false }
        }
        // Some of a gap may be masked.
        var filled = 0
        for gap in gaps {
            var position = gap.lowerBound
            while position + 0.7 < gap.upperBound {
                if level(position) ?? -200 > reference - 3 { filled += 1 }
                if filled > 3 { return false }
                position += 0.5
            }
        }
        for position in pauses where level(position) ?? -200 > reference - 3 {
            exceptions -= 1
            if exceptions < 0 { return false }
        }
        return true
    }

    /// The median level of the pulses, and its step from the median pause, if both are what they should be.
    private func levels(_ history: TonalHistory, _ channel: Int, _ grid: Grid) -> Levels? {
        var loud: [Float] = []
        loud.reserveCapacity(pulses.count)
        for position in pulses {
            let (from, to) = grid.heardFrames(pulsePart, of: position)
            // What was before the stream is no pulse.
            guard from >= 0 else { return nil }
            if let level = history.level(channel, from, to) { loud.append(level) }
        }
        guard loud.count + maxMasked >= pulses.count, !loud.isEmpty else { return nil }
        loud.sort()
        let pulse = loud[loud.count / 2]
        guard pulse >= Self.leastDBFS else { return nil }
        var quiet: [Float] = []
        quiet.reserveCapacity(pauses.count + gaps.count + 2)
        func note(_ frames: (Int, Int)) {
            if let level = history.level(channel, frames.0, frames.1, floor: pulse - 20) {
                quiet.append(level)
            }
        }
        for position in pauses { note(grid.frames(pausePart, of: position)) }
        for gap in gaps { note(grid.frames(gap, of: 0)) }
        if quietFrames > 0 { note((grid.now - quietFrames, grid.now)) }
        let (leadFrom, leadTo) = grid.frames(lead, of: 0)
        if leadTo > 1 { note((max(0, leadFrom), leadTo)) }
        guard !quiet.isEmpty else { return nil }
        quiet.sort()
        let contrast = pulse - quiet[quiet.count / 2]
        return contrast >= minContrast ? Levels(pulse: pulse, contrast: contrast) : nil
    }

    /// Whether it is silent between the groups, after the last pulse and before the first.
    private func hasSilences(
        _ history: TonalHistory, _ channel: Int, _ grid: Grid, _ levels: Levels
    ) -> Bool {
        for gap in gaps {
            let found = levels.census(history, channel, grid.frames(gap, of: 0), isPause: true)
            guard found.isSilent else { return false }
        }
        if quietFrames > 0 {
            let end = (grid.now - quietFrames, grid.now)
            guard levels.census(history, channel, end, isPause: true).isSilent else { return false }
        }
        let (from, to) = grid.frames(lead, of: 0)
        guard to > 1 else { return true }
        let before = levels.census(history, channel, (max(0, from), to), isPause: true)
        return mayFollowSound ? before.hasNoPulse : before.isSilent
    }

    /// How many pauses and dips are masked; nil if one holds a tone, or too many are masked.
    private func maskedPauses(
        _ history: TonalHistory, _ channel: Int, _ grid: Grid, _ levels: Levels
    ) -> Int? {
        var masked = 0
        for position in pauses {
            let frames = grid.frames(pausePart, of: position)
            let found = levels.census(history, channel, frames, isPause: true)
            if found.off * 20 >= found.all * 13 { continue }
            guard (found.off + found.masked) * 3 >= found.all * 2 else { return nil }
            masked += 1
        }
        // Trembling notes below 2 kHz dip less than a sounder does in a room.
        let dip: Float = TonalHistory.isPiezo(channel) ? 3 : 6
        for position in dips {
            let (from, to) = grid.frames(pausePart, of: position)
            guard let level = history.level(channel, from, to), level <= levels.pulse - dip else {
                masked += 1
                continue
            }
        }
        return masked <= maxMasked ? masked : nil
    }

    /// What the pulses are: one steady tone, but for those that are masked or missing.
    private func judgePulses(
        _ history: TonalHistory, _ channel: Int, _ grid: Grid, _ levels: Levels, _ maskedPauses: Int
    ) -> Match? {
        var (masked, missing, heard) = (0, 0, 0)
        var (prominence, unsteadiness, fill, placeSum) = (Float(0), Float(0), Float(0), Float(0))
        var (lowest, highest, last) = (Float.infinity, -Float.infinity, Float?.none)
        for (index, position) in pulses.enumerated() {
            let frames = grid.heardFrames(pulsePart, of: position)
            let found = levels.census(history, channel, frames, isPause: false)
            guard found.on * 20 >= found.all * 13 else {
                if (found.on + found.masked) * 10 >= found.all * 7 {
                    masked += 1
                } else {
                    guard mayMiss.contains(index), found.on * 4 <= found.all else { return nil }
                    missing += 1
                }
                guard masked <= maxMasked, missing <= 1 else { return nil }
                continue
            }
            // In a room a tone may build up, but a sounder does not fade as a note does.
            guard found.all < 8 || (found.slope >= -max(3, 0.2 * levels.contrast) && found.slope <= 5),
                abs(found.glide) <= maxStep
            else { return nil }
            if let last, abs(found.place - last) > maxStep { return nil }
            last = found.place
            lowest = min(lowest, found.place)
            highest = max(highest, found.place)
            placeSum += found.place
            prominence += found.prominence
            unsteadiness += found.unsteadiness
            fill += Float(found.on) / Float(found.all)
            heard += 1
        }
        let count = Float(heard)
        guard heard > 0, highest - lowest <= maxRange, prominence >= minProminence * count,
            unsteadiness <= maxUnsteadiness * count
        else { return nil }
        return Match(
            startFrame: Int(grid.start.rounded()), unitFrames: grid.unit, levelDBFS: levels.pulse,
            contrast: levels.contrast, place: placeSum / count, faults: masked + maskedPauses + missing,
            fill: fill / count)
    }
}

extension TonalHistory.Census {
    /// A long silence: hardly a frame with the tone, and enough that is known to be quiet.
    fileprivate var isSilent: Bool { on * 8 <= all && (off + masked) * 5 >= all * 4 && off * 2 >= all }
    /// No pulse of this rhythm, though maybe something else.
    fileprivate var hasNoPulse: Bool { on * 8 <= all && (off + masked) * 2 >= all && off * 4 >= all }
}
