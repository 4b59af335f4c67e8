/// How an outgoing message fares when the peer reads slowly (DESIGN 3.4).
public enum DeliveryClass: Sendable, Equatable {
    /// Answers and durable events: queued; the connection ends if they pile up.
    case durable
    /// Live results: the oldest of the same stream is dropped when the queue is over its mark.
    case lossy
    /// Greetings, errors, endings: a reserved part of the queue, so that they always fit.
    case control
}
