import HarmoniAI
import SenseProtocol

/// The songs of a person and what plays; all their devices follow the one playback.
struct MusicRoom: Sendable {
    struct Song: Sendable {
        let stems: StemData
        var lastUsedUs: UInt64
    }

    var songs: [String: Song] = [:]
    var playing: (songID: String, scheduler: MusicScheduler)?
    private var lastPlaybackID: UInt64 = 0

    /// Keeps a decoded song; drops the one unused longest when there are too many.
    mutating func keep(_ stems: StemData, as songID: String, max limit: Int, now: Now) {
        songs[songID] = Song(stems: stems, lastUsedUs: now.serverUs)
        while songs.count > limit {
            let idle = songs.filter { $0.key != playing?.songID && $0.key != songID }
            guard let oldest = idle.min(by: { $0.value.lastUsedUs < $1.value.lastUsedUs }) else { return }
            songs[oldest.key] = nil
        }
    }

    /// Makes `songID` the song that plays.
    mutating func load(_ songID: String, leadMs: Int, now: Now) -> Bool {
        guard let song = songs[songID] else { return false }
        songs[songID]?.lastUsedUs = now.serverUs
        if let playing { lastPlaybackID = max(lastPlaybackID, playing.scheduler.clock.playbackID) }
        playing = (songID, MusicScheduler(song: song.stems, leadMs: leadMs, firstID: lastPlaybackID))
        return true
    }

    var nextDeadlineUs: UInt64? { playing?.scheduler.nextWakeUs.map { UInt64(clamping: $0) } }
}
