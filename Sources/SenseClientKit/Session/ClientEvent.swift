public import SenseProtocol

/// What a session tells its owner.
public enum ClientEvent: Sendable, Equatable {
    /// The server welcomed us; streams may be opened.
    case welcomed(Welcome)
    /// A durable alert in a revision not seen before. Show it, then send the receipt PRESENTED.
    case alert(Alert)
    /// Something was refused, and the session goes on.
    case problem(ErrorMessage)
    /// Any other message: results, answers, health, warnings.
    case message(Envelope.Body)
    /// More media may be sent.
    case creditGrown
    /// The session is over; nil after our own goodbye.
    case ended(ClientError?)

    /// Whether a newer message makes it worthless, so that it may be dropped for a slow reader.
    public var isLossy: Bool {
        switch self {
        case .message(.soundScores), .message(.streamHealth), .message(.musicFrames), .message(.hapticEvents),
            .message(.playbackState), .message(.wordSuggestions), .creditGrown:
            true
        case .message(.letterUpdate(let update)): update.state != .committed
        default: false
        }
    }
}
