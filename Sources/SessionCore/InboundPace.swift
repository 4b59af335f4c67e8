/// How fast one device sends, against what the server has agreed to take.
///
/// Messages: a bucket that refills at `maxMessagesPerSecond`. What finds it empty is dropped before it is decoded, so
/// that a flood costs next to nothing; a device that floods on for `overrunEndsUs` is ended.
///
/// Media: recordings may be sent faster than they were made, so the pace is counted in media time. Beyond
/// `mediaBurstUs` ahead of `maxMediaSpeed` times real time no more credit is given until the clock has caught up.
struct InboundPace: Sendable {
    /// What becomes of one message.
    enum Verdict: Equatable, Sendable {
        case taken
        /// Left out; `isNews`: the device has not been told within the last second.
        case dropped(isNews: Bool)
        /// The device does not listen to being told.
        case ended
    }

    /// Messages × 1,000,000, so that refilling is exact in microseconds.
    private var room: UInt64
    private var lastUs: UInt64
    private var floodSinceUs: UInt64?
    private var lastToldUs: UInt64?
    private var mediaAheadUs: UInt64 = 0
    private var mediaLastUs: UInt64
    private let limits: SessionLimits

    init(limits: SessionLimits, at now: Now) {
        self.limits = limits
        room = limits.messageBurst * .secondUs
        lastUs = now.serverUs
        mediaLastUs = now.serverUs
    }

    /// Judges one message that has just arrived.
    mutating func admit(at now: Now) -> Verdict {
        let full = limits.messageBurst * .secondUs
        // At most a minute counts: no overflow, whatever the clock does.
        let elapsed = min(now.serverUs.since(lastUs), 60 * .secondUs)
        lastUs = now.serverUs
        room = min(full, room + elapsed * limits.maxMessagesPerSecond)
        if room >= full / 2 { floodSinceUs = nil }
        guard room >= .secondUs else {
            let since = floodSinceUs ?? now.serverUs
            floodSinceUs = since
            if now.serverUs.since(since) >= limits.overrunEndsUs { return .ended }
            if let lastToldUs, now.serverUs.since(lastToldUs) < .secondUs { return .dropped(isNews: false) }
            lastToldUs = now.serverUs
            return .dropped(isNews: true)
        }
        room -= .secondUs
        return .taken
    }

    /// Counts media that plays for `durationUs`.
    mutating func add(mediaUs durationUs: UInt64, at now: Now) {
        catchUp(now)
        // An hour is far beyond the limit already: no overflow.
        mediaAheadUs = min(mediaAheadUs + min(durationUs, 3600 * .secondUs), 7200 * .secondUs)
    }

    /// Whether media runs too far ahead for more credit.
    mutating func isAhead(at now: Now) -> Bool {
        catchUp(now)
        return mediaAheadUs > limits.mediaBurstUs
    }

    private mutating func catchUp(_ now: Now) {
        let played = min(now.serverUs.since(mediaLastUs), 3600 * .secondUs) * limits.maxMediaSpeed
        mediaLastUs = now.serverUs
        mediaAheadUs -= min(mediaAheadUs, played)
    }
}
