import SenseClientKit

/// Sends for all devices of one loop when they are due, with one timer for all of them.
///
/// All devices send equally often, so their order never changes: a ring of who is next.
///
/// `@unchecked Sendable`: touched on its loop only.
final class BenchPacer: @unchecked Sendable {
    let loop: ClientLoop
    private let periodUs: Double
    /// In order of their places within the period.
    private var sessions: [(offsetUs: Double, session: BenchSession)] = []
    private var next = 0
    private var round = 0.0
    private var startUs: UInt64 = 0

    /// How often it looks which devices are due.
    static let tick: Duration = .milliseconds(1)
    /// Devices that send before the answers to others are looked at: of a device's time none is spent waiting for others.
    static let burst = 8

    init(loop: ClientLoop, periodUs: Double) {
        self.loop = loop
        self.periodUs = periodUs
    }

    /// Adds a device; before `start`.
    func add(_ session: BenchSession) { sessions.append((session.phase * periodUs, session)) }

    /// Lets every device say goodbye.
    func leave() {
        for (_, session) in sessions { session.leave() }
        sessions = []
    }

    /// Begins to send.
    func start() {
        if let first = sessions.first?.session, first.plan.kind == .music {
            if first.index == 0 { first.sendSong() }
            return
        }
        sessions.sort { $0.offsetUs < $1.offsetUs }
        startUs = ClientLoop.nowUs
        run()
    }

    private func run() {
        guard !sessions.isEmpty else { return }
        let elapsed = Double(ClientLoop.nowUs - startUs)
        var left = Self.burst
        while round * periodUs + sessions[next].offsetUs <= elapsed {
            // What was sent leaves before the next turn. A program that cannot keep up sends less, and says so by its rate.
            guard left > 0 else {
                loop.run { self.run() }
                return
            }
            sessions[next].session.sendNext()
            left -= 1
            next += 1
            if next == sessions.count { (next, round) = (0, round + 1) }
        }
        loop.schedule(after: Self.tick) { self.run() }
    }
}
