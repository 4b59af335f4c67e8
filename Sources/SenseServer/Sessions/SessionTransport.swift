import SenseProtocol
import SessionCore

/// The way from a session to its peer. Isolation: the session's loop.
protocol SessionTransport: AnyObject {
    /// Queues one encoded envelope.
    func send(_ bytes: [UInt8], isText: Bool, _ delivery: DeliveryClass)

    /// Sets the largest message taken from the peer.
    func setMaxMessageBytes(_ bytes: Int)

    /// Closes after everything queued.
    func close(_ code: ErrorCode, reason: String)
}
