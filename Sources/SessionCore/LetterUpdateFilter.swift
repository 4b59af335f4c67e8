import BridgeAI

/// Decides which letters in the making a device is shown: those that look different, and a sign of life.
///
/// At 30 frames a second most results equal the one before. Sending them costs radios, batteries and this server many
/// times the work of finding them out, and shows a person nothing. A commit always goes out.
struct LetterUpdateFilter: Sendable {
    /// Confidence has to move by so much to be shown.
    static let confidenceStep: Float = 0.05
    /// Progress towards a commit has to move by so much.
    static let progressStep: Float = 0.25
    /// Longest silence while a hand is seen: an update may be lost, and a device wants to know that it is followed.
    static let repeatUs: UInt64 = 250_000
    /// Longest silence while none is seen.
    static let idleRepeatUs: UInt64 = .secondUs

    private struct Shown: Sendable {
        var state: LetterUpdate.State
        var letter: Letter?
        /// Letter + 1 of each alternative, one a byte.
        var alternatives: UInt64
        var confidence: Float
        var progress: Float
        var sentUs: UInt64
    }

    private var shown: Shown?

    /// Whether `update` is worth sending at `nowUs`; if so it counts as shown.
    mutating func admits(_ update: LetterUpdate, nowUs: UInt64) -> Bool {
        var alternatives: UInt64 = 0
        // At most `LikelyLetters.capacity`.
        for rank in 1..<max(1, update.alternatives.count) {
            alternatives = alternatives << 8 | UInt64(update.alternatives[rank].letter.index + 1)
        }
        if let shown, shown.state == update.state, shown.letter == update.letter,
            shown.alternatives == alternatives,
            abs(shown.confidence - update.confidence) < Self.confidenceStep,
            abs(shown.progress - update.holdProgress) < Self.progressStep,
            nowUs.since(shown.sentUs) < (update.state == .noHand ? Self.idleRepeatUs : Self.repeatUs),
            update.state != .committed, update.state != .space
        {
            return false
        }
        shown = Shown(
            state: update.state, letter: update.letter, alternatives: alternatives,
            confidence: update.confidence, progress: update.holdProgress, sentUs: nowUs)
        return true
    }

    /// The next update is sent whatever it says: after a commit was said in another way, or a change of format.
    mutating func reset() { shown = nil }
}
