/// Where a song is: a line from server time to song time, or a standstill.
///
/// All times are microseconds. Server time is the server's monotonic clock; song time runs from 0 to
/// `songUs`. A playing song is anchored in the future by the lead, so that devices can start together.
public struct PlaybackClock: Equatable, Sendable {
    /// What the song does.
    public enum Phase: Equatable, Sendable {
        /// Nothing was started, or it was stopped.
        case idle
        /// Song time `positionUs` is due at server time `atUs`, running at `rate` from there.
        case playing(positionUs: Int64, atUs: Int64)
        /// Standing at `positionUs`.
        case paused(positionUs: Int64)
        /// Played to the end.
        case ended
    }

    /// What the song does.
    public private(set) var phase: Phase = .idle
    /// Song seconds per server second, 0.5…2.
    public private(set) var rate: Double = 1
    /// Start again at the end.
    public private(set) var loops = false
    /// Changes whenever frames sent before are no longer to be shown.
    public private(set) var playbackID: UInt64
    /// Length of the song.
    public let songUs: Int64

    /// A clock for a song of `songUs`. Ids count up from `firstID`.
    public init(songUs: Int64, firstID: UInt64 = 0) {
        self.songUs = max(1, songUs)
        playbackID = firstID
    }

    /// Starts or resumes: song time `positionUs` (nil: where it stands, or the start) is due at `startUs`.
    ///
    /// - Throws: `outOfRange` for a position outside 0…songUs or a rate outside 0.5…2.
    public mutating func play(
        positionUs: Int64? = nil, startUs: Int64, rate: Double? = nil, loops: Bool? = nil
    ) throws(HarmoniAIError) {
        let position = try checked(positionUs ?? standing(atUs: startUs))
        let newRate = try Self.checked(rate: rate ?? self.rate)
        self.rate = newRate
        self.loops = loops ?? self.loops
        playbackID &+= 1
        // At the very end there is nothing to play: start over.
        phase = .playing(positionUs: position == songUs ? 0 : position, atUs: startUs)
    }

    /// Stands still at the position reached at `nowUs`; paused already is left so.
    ///
    /// - Throws: `nothingLoaded` when nothing plays.
    public mutating func pause(nowUs: Int64) throws(HarmoniAIError) {
        switch phase {
        case .playing:
            phase = .paused(positionUs: positionUs(atUs: nowUs))
            playbackID &+= 1
        case .paused: return
        case .idle, .ended: throw .nothingLoaded
        }
    }

    /// Moves to `positionUs`: a playing song goes on there from `startUs`, a paused or ended one waits there.
    ///
    /// - Throws: `outOfRange`, or `nothingLoaded` when idle.
    public mutating func seek(toUs positionUs: Int64, startUs: Int64) throws(HarmoniAIError) {
        let position = try checked(positionUs)
        switch phase {
        case .playing: phase = .playing(positionUs: position, atUs: startUs)
        case .paused, .ended: phase = .paused(positionUs: position)
        case .idle: throw .nothingLoaded
        }
        playbackID &+= 1
    }

    /// Changes the speed; a playing song goes on from where it will be at `startUs`.
    ///
    /// - Throws: `outOfRange` for a rate outside 0.5…2.
    public mutating func setRate(_ rate: Double, startUs: Int64) throws(HarmoniAIError) {
        let newRate = try Self.checked(rate: rate)
        if case .playing = phase { phase = .playing(positionUs: positionUs(atUs: startUs), atUs: startUs) }
        self.rate = newRate
        playbackID &+= 1
    }

    /// Ends the playback; the song stays loaded.
    public mutating func stop() {
        guard phase != .idle else { return }
        phase = .idle
        playbackID &+= 1
    }

    /// Notes that the last frame was played.
    mutating func end() { phase = .ended }

    /// Song time at server time `atUs`, 0…songUs; it stands still before the anchor and wraps in a loop.
    public func positionUs(atUs: Int64) -> Int64 {
        switch phase {
        case .idle: return 0
        case .paused(let position): return position
        case .ended: return songUs
        case .playing(let position, let anchor):
            let elapsed = max(0, HarmonyTime.subtract(atUs, anchor))
            let reached = HarmonyTime.add(
                position, HarmonyTime.us(Double(elapsed) * rate, rounded: .down))
            return loops ? reached % songUs : min(songUs, reached)
        }
    }

    /// Server time at which unwrapped song time `songTimeUs` is due; nil unless playing.
    public func dueUs(songTimeUs: Int64) -> Int64? {
        guard case .playing(let position, let anchor) = phase else { return nil }
        let ahead = HarmonyTime.subtract(songTimeUs, position)
        return HarmonyTime.add(anchor, HarmonyTime.us(Double(ahead) / rate, rounded: .up))
    }

    private func standing(atUs: Int64) -> Int64 {
        switch phase {
        case .idle, .ended: 0
        case .paused, .playing: positionUs(atUs: atUs)
        }
    }

    private func checked(_ positionUs: Int64) throws(HarmoniAIError) -> Int64 {
        guard (0...songUs).contains(positionUs) else {
            throw .outOfRange(
                field: "position_seconds", value: "\(Double(positionUs) / 1_000_000)",
                accepted: "0 to \(Double(songUs) / 1_000_000)")
        }
        return positionUs
    }

    private static func checked(rate: Double) throws(HarmoniAIError) -> Double {
        guard HarmoniAILimits.rate.contains(rate) else {
            throw .outOfRange(
                field: "rate", value: "\(rate)",
                accepted: "\(HarmoniAILimits.rate.lowerBound) to \(HarmoniAILimits.rate.upperBound)")
        }
        return rate
    }
}
