/// The groups of four short pulses heard so far, and whether a new one goes on from them: the CO alarm.
struct FourGroups: Sendable {
    /// One group of T4 pulses.
    struct Group: Sendable {
        var channel: Int
        var frequencyBins: Float
        var startFrame: Int
        var levelDBFS: Float
        var contrast: Float
        var unitFrames: Double
        /// No pulse of it is masked or missing.
        var isWhole: Bool
    }

    /// Groups remembered; older ones give way.
    private static let maxGroups = 64

    private var groups: [Group] = []

    /// Whether none is remembered.
    var isEmpty: Bool { groups.isEmpty }

    /// Adds a group; returns whether it confirms the alarm.
    mutating func hear(_ group: Group, _ history: TonalHistory) -> Bool {
        groups.removeAll { group.startFrame - $0.startFrame > TonalHistory.frames(140) }
        let isRepeated = isRepeated(group, history)
        let same = groups.firstIndex {
            $0.channel == group.channel && abs($0.startFrame - group.startFrame) <= TonalHistory.frames(0.3)
        }
        if let same {
            if group.isWhole { groups[same] = group }
        } else {
            groups.append(group)
            if groups.count > Self.maxGroups { groups.removeFirst() }
        }
        return isRepeated
    }

    /// Whether another group came 4.8…6.8 s before with silence between, or two came at equal longer distances.
    func isRepeated(_ group: Group, _ history: TonalHistory) -> Bool {
        let alike = groups.filter {
            isSameSounder($0, group) && abs($0.unitFrames - group.unitFrames) <= 0.11 * group.unitFrames
        }
        for other in alike where other.isWhole || group.isWhole {
            let distance = group.startFrame - other.startFrame
            guard distance >= TonalHistory.frames(4.8), distance <= TonalHistory.frames(66),
                isSilent(between: other, and: group, history)
            else { continue }
            let isAlone = !alike.contains {
                $0.startFrame > other.startFrame + TonalHistory.frames(0.5)
                    && $0.startFrame < group.startFrame - TonalHistory.frames(0.5)
            }
            guard isAlone else { continue }
            if distance <= TonalHistory.frames(6.8) { return true }
            let isRegular = alike.contains { third in
                abs(other.startFrame - third.startFrame - distance) <= distance / 16
            }
            if isRegular { return true }
        }
        return false
    }

    /// Whether two groups have one frequency and level, or are whole and odd harmonics of one tone.
    private func isSameSounder(_ a: Group, _ b: Group) -> Bool {
        if abs(a.frequencyBins - b.frequencyBins) <= 1 { return abs(a.levelDBFS - b.levelDBFS) <= 5 }
        guard a.isWhole, b.isWhole else { return false }
        return Sounder.isSame(Double(a.frequencyBins), Double(b.frequencyBins))
    }

    /// Whether the channel is silent between two groups, as far back as the history goes.
    func isSilent(between first: Group, and second: Group, _ history: TonalHistory) -> Bool {
        let from = max(first.startFrame + TonalHistory.frames(1), history.firstFrame + 1)
        let to = second.startFrame - TonalHistory.frames(0.1)
        let isSameChannel = abs(first.channel - second.channel) <= 1
        let level = isSameChannel ? min(first.levelDBFS, second.levelDBFS) : second.levelDBFS
        let contrast = min(first.contrast, second.contrast)
        let found = history.census(
            second.channel, from, to, pulse: level, spread: max(4, 0.25 * contrast),
            quiet: level - max(4, 0.5 * contrast), isPause: true)
        // A group between would fill a tenth. A faint alarm's level is touched by speech and music now and then.
        let (touched, known) = contrast < 16 ? (13, 17) : (25, 18)
        return found.on * touched <= found.all && (found.off + found.masked) * 20 >= found.all * known
            && found.off * 2 >= found.all
    }
}
