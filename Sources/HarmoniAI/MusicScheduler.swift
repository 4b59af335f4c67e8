/// One playback of one song → batches of frames and taps, each sent at least the lead before it is due.
///
/// One value a playback, shared by all devices that follow it: they get the same events at the same server times.
/// The caller passes server time in, calls `advance` at `nextWakeUs` (or more often) and sends what comes out.
/// Times come from the frame index alone, so they do not drift; each frame of a playback is sent once; frames
/// whose lead is past are skipped, never sent in a burst.
public struct MusicScheduler: Sendable {
    /// The song.
    public let song: StemData
    /// Where it is.
    public private(set) var clock: PlaybackClock
    /// How far ahead of its time everything is sent, in milliseconds.
    public private(set) var leadMs: Int
    /// Frames that were due too soon to be sent.
    public private(set) var skippedFrames: UInt64 = 0
    /// All taps of the song, by ascending frame.
    private let cues: [HapticCue]
    /// Next frame to send, counted on through the laps of a loop.
    private var cursor: Int64 = 0
    private var lastNowUs: Int64 = .min

    /// The longest lead holds 21 batches; lap ends cut a few short.
    private static let maxBatches = 32
    private static let batchUs = Int64(HarmoniAILimits.batchMs) * 1_000
    private static let slackUs = Int64(HarmoniAILimits.tickSlackMs) * 1_000
    private var leadUs: Int64 { Int64(leadMs) * 1_000 }

    /// A scheduler that stands idle. `leadMs` is brought within 300…5,000; `firstID` seeds the playback ids.
    public init(song: StemData, leadMs: Int = HarmoniAILimits.defaultLeadMs, firstID: UInt64 = 0) {
        self.song = song
        cues = HapticRule.cues(of: song)
        clock = PlaybackClock(songUs: song.gridUs, firstID: firstID)
        self.leadMs = Self.allowed(leadMs)
    }

    /// Changes the lead from the next batch on: the largest that any following device needs, its output offset
    /// included. Raising it in mid-song leaves out the frames in between.
    public mutating func setLead(ms: Int) { leadMs = Self.allowed(ms) }

    /// Plays from `positionUs` (nil: where it stands). The first frame is due at the returned server time.
    ///
    /// - Throws: `outOfRange`.
    @discardableResult
    public mutating func play(
        positionUs: Int64? = nil, rate: Double? = nil, loops: Bool? = nil, nowUs: Int64
    ) throws(HarmoniAIError) -> Int64 {
        let startUs = start(nowUs)
        try clock.play(positionUs: positionUs, startUs: startUs, rate: rate, loops: loops)
        rewind()
        return startUs
    }

    /// Stands still; what was sent and is not yet due is void.
    ///
    /// - Throws: `nothingLoaded`.
    public mutating func pause(nowUs: Int64) throws(HarmoniAIError) { try clock.pause(nowUs: nowUs) }

    /// Moves to another place.
    ///
    /// - Throws: `outOfRange` or `nothingLoaded`.
    public mutating func seek(toUs positionUs: Int64, nowUs: Int64) throws(HarmoniAIError) {
        try clock.seek(toUs: positionUs, startUs: start(nowUs))
        rewind()
    }

    /// Changes the speed.
    ///
    /// - Throws: `outOfRange`.
    public mutating func setRate(_ rate: Double, nowUs: Int64) throws(HarmoniAIError) {
        try clock.setRate(rate, startUs: start(nowUs))
        rewind()
    }

    /// Ends the playback.
    public mutating func stop() { clock.stop() }

    /// Server time at which `advance` has something to do; nil while nothing plays.
    public var nextWakeUs: Int64? {
        guard case .playing = clock.phase else { return nil }
        guard hasFrames else { return clock.dueUs(songTimeUs: song.gridUs) }
        return due(cursor).map { HarmonyTime.subtract($0, leadUs + Self.slackUs) }
    }

    /// Everything to send at `nowUs`, in order. After the last frame was due the phase becomes `ended`.
    public mutating func advance(nowUs: Int64) -> [MusicBatch] {
        // Server time is monotonic; a smaller one is taken as the last.
        let now = max(nowUs, lastNowUs)
        lastNowUs = now
        guard case .playing = clock.phase else { return [] }
        skip(before: HarmonyTime.add(now, leadUs))
        var batches: [MusicBatch] = []
        while hasFrames, batches.count < Self.maxBatches, let wake = nextWakeUs, wake <= now,
            let batch = nextBatch()
        {
            batches.append(batch)
        }
        if !hasFrames, let end = clock.dueUs(songTimeUs: song.gridUs), end <= now { clock.end() }
        return batches
    }

    private static func allowed(_ leadMs: Int) -> Int {
        min(HarmoniAILimits.leadMs.upperBound, max(HarmoniAILimits.leadMs.lowerBound, leadMs))
    }

    /// Whether the cursor stands on a frame that is still to be sent.
    private var hasFrames: Bool { clock.loops || cursor < Int64(song.totalFrames) }

    private func start(_ nowUs: Int64) -> Int64 { HarmonyTime.add(nowUs, leadUs + Self.slackUs) }

    private func due(_ frame: Int64) -> Int64? { clock.dueUs(songTimeUs: song.startUs(ofFrame: frame)) }

    /// Sets the cursor to the first frame at or after the anchor.
    private mutating func rewind() {
        guard case .playing(let positionUs, _) = clock.phase else { return }
        cursor = max(0, HarmonyTime.us(Double(positionUs) * song.fps / 1_000_000, rounded: .down) - 1)
        while song.startUs(ofFrame: cursor) < positionUs { cursor += 1 }
    }

    /// Leaves out frames due before `us`, in one step however many they are.
    private mutating func skip(before us: Int64) {
        guard case .playing(let positionUs, let anchorUs) = clock.phase, let first = due(cursor), first < us
        else {
            return
        }
        let songUs = Double(positionUs) + Double(HarmonyTime.subtract(us, anchorUs)) * clock.rate
        var target = max(cursor, HarmonyTime.us(songUs * song.fps / 1_000_000, rounded: .down) - 1)
        // The estimate is at most two frames low; the bound holds for absurd times too.
        for _ in 0..<4 {
            guard let due = due(target), due < us else { break }
            target += 1
        }
        if !clock.loops { target = max(cursor, min(target, Int64(song.totalFrames))) }
        skippedFrames &+= UInt64(target - cursor)
        cursor = target
    }

    /// The next run of frames: `batchMs` of server time, or to the end of the lap.
    private mutating func nextBatch() -> MusicBatch? {
        let total = Int64(song.totalFrames)
        let lap = cursor / total
        let lapEnd = (lap + 1) * total
        guard let firstDue = due(cursor) else { return nil }
        let end = HarmonyTime.add(firstDue, Self.batchUs)
        var frames: [VisualFrame] = []
        var times: [Int64] = []
        let first = Int(cursor % total)
        while cursor < lapEnd, let at = due(cursor), at < end || frames.isEmpty {
            frames.append(visual(Int(cursor % total), playAtUs: at))
            times.append(at)
            cursor += 1
        }
        var haptics: [HapticEvent] = []
        var place = firstCue(from: first)
        while place < cues.count, cues[place].frame < first + frames.count {
            let cue = cues[place]
            haptics.append(
                HapticEvent(frame: cue.frame, playAtUs: times[cue.frame - first], strength: cue.strength))
            place += 1
        }
        return MusicBatch(
            playbackID: clock.playbackID, framesPerSecond: song.fps * clock.rate, frames: frames,
            haptics: haptics)
    }

    private func visual(_ frame: Int, playAtUs: Int64) -> VisualFrame {
        VisualFrame(
            frame: frame, playAtUs: playAtUs, drums: song.drums[frame], bass: song.bass[frame],
            vocals: song.vocals[frame], other: song.other[frame], marks: song.marks[frame])
    }

    /// Place of the first cue at or after `frame`, by halving.
    private func firstCue(from frame: Int) -> Int {
        var low = 0
        var high = cues.count
        while low < high {
            let middle = (low + high) / 2
            if cues[middle].frame < frame { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
