/// The alarms that are suspected or confirmed now, and when each of them is over.
///
/// One alert for a pattern: while it is confirmed, other sounders belong to it. A suspicion is confirmed by its own
/// sounder alone, and withdrawn when another one is confirmed or none within some seconds.
struct OpenAlarms: Sendable {
    /// A rhythm that was just heard.
    struct Sighting: Sendable {
        var pattern: AlarmPattern
        /// Whether it is certain; otherwise it is suspected.
        var isWhole: Bool
        var frequencyHz: Double
        /// Step from pauses to pulses, dB.
        var contrast: Float
        /// 0…1.
        var confidence: Float
        /// Start of its first pulse, and end of what has been analysed.
        var onsetSampleIndex: UInt64
        var heardSampleIndex: UInt64
        /// Frame in which it was heard.
        var frame: Int
        /// Frames after which it is over unless it is heard again; by its pattern if nil.
        var patience: Int?
    }

    private struct Track: Sendable {
        var episode: AlarmEpisode
        var lastFrame: Int
        var patience: Int
    }

    /// T3 alarms are over after three missing cycles, T4 after two missing groups.
    private static let patienceOfThree = TonalHistory.frames(13)
    private static let patienceOfFour = TonalHistory.frames(15)
    /// The longest pause of T4 twice.
    private static let longestPatienceOfFour = TonalHistory.frames(140)
    /// A suspicion is withdrawn if it is not confirmed within these.
    private static let suspicionOfThree = TonalHistory.frames(8)
    private static let suspicionOfFour = TonalHistory.frames(13)
    /// Suspicions of one pattern at different frequencies at one time; further ones wait.
    private static let maxTracks = 4
    /// What begins within this of another (0.15 s) is the same alarm, whatever of it is heard.
    private static let sameOnsetSamples = 3_300

    private var tracks: [Track] = []
    private var nextNumber: UInt64 = 1

    /// All of them, oldest first.
    var episodes: [AlarmEpisode] { tracks.map(\.episode).sorted { $0.number < $1.number } }

    /// A rhythm was heard: begins an alarm, confirms it, or goes on with it.
    mutating func hear(_ sighting: Sighting, _ events: inout [AlarmEvent]) {
        guard let index = index(of: sighting) else {
            begin(sighting, &events)
            return
        }
        var track = tracks[index]
        track.episode.lastHeardSampleIndex = sighting.heardSampleIndex
        track.episode.contrastDecibels = max(track.episode.contrastDecibels, sighting.contrast)
        track.episode.confidence = max(track.episode.confidence, sighting.confidence)
        let isNew = sighting.isWhole && !track.episode.isConfirmed
        if isNew {
            track.episode.isConfirmed = true
            track.episode.frequencyHz = sighting.frequencyHz
            track.episode.onsetSampleIndex = min(track.episode.onsetSampleIndex, sighting.onsetSampleIndex)
        }
        if track.episode.isConfirmed {
            track.patience = patience(
                of: sighting, isConfirmed: true, after: sighting.frame - track.lastFrame)
        }
        track.lastFrame = sighting.frame
        tracks[index] = track
        if isNew {
            events.append(.confirmed(track.episode))
            withdraw(sighting.pattern, &events)
        }
    }

    /// Ends what has not been heard for too long.
    mutating func endOld(now: Int, _ events: inout [AlarmEvent]) {
        guard !tracks.isEmpty else { return }
        for track in tracks where now - track.lastFrame > track.patience {
            events.append(.ended(track.episode))
        }
        tracks.removeAll { now - $0.lastFrame > $0.patience }
    }

    private func index(of sighting: Sighting) -> Int? {
        let ofPattern = tracks.indices.filter { tracks[$0].episode.pattern == sighting.pattern }
        return ofPattern.first { tracks[$0].episode.isConfirmed }
            ?? ofPattern.first {
                let (episode, onset) = (tracks[$0].episode, sighting.onsetSampleIndex)
                return Sounder.isSame(episode.frequencyHz, sighting.frequencyHz)
                    || max(episode.onsetSampleIndex, onset) - min(episode.onsetSampleIndex, onset)
                        < Self.sameOnsetSamples
            }
    }

    private mutating func begin(_ sighting: Sighting, _ events: inout [AlarmEvent]) {
        let suspicions = tracks.count { $0.episode.pattern == sighting.pattern }
        guard sighting.isWhole || suspicions < Self.maxTracks else { return }
        let episode = AlarmEpisode(
            number: nextNumber, pattern: sighting.pattern, isConfirmed: sighting.isWhole,
            onsetSampleIndex: sighting.onsetSampleIndex, lastHeardSampleIndex: sighting.heardSampleIndex,
            frequencyHz: sighting.frequencyHz, contrastDecibels: sighting.contrast,
            confidence: sighting.confidence)
        nextNumber += 1
        if sighting.isWhole { withdraw(sighting.pattern, &events) }
        tracks.append(
            Track(
                episode: episode, lastFrame: sighting.frame,
                patience: patience(of: sighting, isConfirmed: sighting.isWhole, after: 0)))
        events.append(sighting.isWhole ? .confirmed(episode) : .suspected(episode))
    }

    /// Withdraws suspicions of a pattern that another sounder has confirmed.
    private mutating func withdraw(_ pattern: AlarmPattern, _ events: inout [AlarmEvent]) {
        for track in tracks where track.episode.pattern == pattern && !track.episode.isConfirmed {
            events.append(.ended(track.episode))
        }
        tracks.removeAll { $0.episode.pattern == pattern && !$0.episode.isConfirmed }
    }

    /// Frames to wait for the next group, when the last one came `distance` frames ago.
    private func patience(of sighting: Sighting, isConfirmed: Bool, after distance: Int) -> Int {
        if let patience = sighting.patience { return patience }
        guard sighting.pattern == .four else {
            return isConfirmed ? Self.patienceOfThree : Self.suspicionOfThree
        }
        guard isConfirmed else { return Self.suspicionOfFour }
        return max(Self.patienceOfFour, min(Self.longestPatienceOfFour, distance * 9 / 4))
    }
}
