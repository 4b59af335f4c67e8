import BridgeAI
import Net
import SenseProtocol
import SessionCore

/// How others reach a session: its id and its loop. Safe to keep and call from any thread; a session that is gone
/// ignores what comes.
final class SessionHandle: Sendable {
    let id: SessionID
    let loop: EventLoop
    private let owner: OwnerBox

    /// The owner is set and taken away once, on its loop, and read there only. It is held until the connection ends
    /// rather than weakly: a weak reference makes every other use of the object slower.
    private final class OwnerBox: @unchecked Sendable {
        var session: SessionConnection?
    }

    init(id: SessionID, loop: EventLoop, session: SessionConnection) {
        self.id = id
        self.loop = loop
        owner = OwnerBox()
        owner.session = session
    }

    /// The session has ended; on its loop only.
    func detach() {
        loop.assertOnLoop()
        owner.session = nil
    }

    /// The session itself; on its loop only.
    var current: SessionConnection? {
        loop.assertOnLoop()
        return owner.session
    }

    /// Runs `body` with the session on its loop, if it still lives.
    func onLoop(_ body: @escaping @Sendable (SessionConnection) -> Void) {
        loop.post { [owner] in
            if let session = owner.session { body(session) }
        }
    }

    /// Sends a body to the device.
    func push(_ body: Envelope.Body, _ delivery: DeliveryClass) {
        onLoop { $0.push(body, delivery) }
    }

    /// Ends the session with an error.
    func end(_ problem: FieldProblem) {
        onLoop { $0.end(problem) }
    }
}

extension SessionHandle {
    /// Hands scores back; on the session's loop only.
    func letterScored(_ job: LetterJob, _ scores: LetterScores?, at now: Now) {
        current?.letterScored(job, scores, at: now)
    }
}
