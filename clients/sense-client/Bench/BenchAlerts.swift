import SenseClientKit
import SenseProtocol

/// Durable delivery under load: rooms lose their microphones one after the other, a second device watches, and a third
/// one, which was away all the time, catches up.
///
/// Each loss is an alert ("I cannot hear") that is written to disk before it is sent.
struct BenchAlerts: Sendable {
    /// When each room was cut off.
    var cutUs: [String: UInt64] = [:]
    /// Rooms whose alert came.
    var seen: Set<String> = []
    /// Alerts and later words about them.
    var events = 0
    /// The newest of them.
    var lastEventID: UInt64 = 0

    static func room(_ index: Int) -> String { "bench-room-\(index)" }

    /// Counts an alert that came at `now`.
    /// - Returns: how long ago its room was cut off, in milliseconds, if this is the first word of that.
    mutating func take(_ alert: Alert, atUs now: UInt64) -> Double? {
        events += 1
        lastEventID = max(lastEventID, alert.eventId)
        // Rooms that only fell silent are told as well. Such an alert may wait here while its room is cut off, and then
        // it came before the cut and says nothing of it.
        guard let cut = cutUs[alert.room], now >= cut, seen.insert(alert.room).inserted else { return nil }
        return Double(now - cut) / 1000
    }
}

extension BenchSession {
    /// The first sound, with which the room counts as heard.
    func speak() {
        do throws(ClientError) {
            try link?.perform { session, now throws(ClientError) in
                _ = try session.send(
                    .audioChunk(AudioChunk(streamId: stream, monoUs: now, samples: plan.sound[0])), atUs: now)
            }
        } catch {
            recorder.failed(error)
        }
    }

    /// Breaks down, as a device without power does.
    func breakDown() {
        guard let link else { return }
        let room = BenchAlerts.room(index)
        recorder.note { $0.alertsOfRooms.cutUs[room] = ClientLoop.nowUs }
        recorder.countSent(1)
        link.cut()
        self.link = nil
    }
}

/// A device that sees every alert.
struct BenchWatcher: Sendable {
    let client: SenseClient
    let recorder: BenchRecorder

    /// Pairs and connects one more device.
    static func connect(
        _ connector: Connector, _ trust: ServerTrust, _ admin: SenseClient, _ recorder: BenchRecorder,
        loop: ClientLoop, resumption: ClientResumption? = nil
    ) async throws -> BenchWatcher {
        let greeting = ClientGreeting(
            credential: .pairingCode(try await admin.pairingCode(role: .subject, validSeconds: 600).code),
            deviceName: "bench-watch", appVersion: CommandContext.version, watchesAlerts: true,
            sendsReceipts: false)
        let connected = try await SenseClient.connect(
            to: connector.address, trust: trust, greeting: greeting, loop: loop, resumption: resumption)
        recorder.paired(deviceID: connected.welcome.deviceId)
        return BenchWatcher(client: connected.client, recorder: recorder)
    }

    /// Notes every alert until the task is cancelled or the session ends.
    func watch() async throws {
        while !Task.isCancelled {
            guard let received = try await client.next(within: .milliseconds(200)),
                case .alert(let alert) = received.event
            else { continue }
            recorder.note { result in
                if let latencyMs = result.alertsOfRooms.take(alert, atUs: received.atUs) {
                    result.latencies.add(latencyMs)
                }
            }
        }
    }

    /// Takes missed events up to `last`; how many came and how long it took.
    func catchUp(to last: UInt64) async throws -> (events: Int, seconds: Double) {
        let start = ContinuousClock.now
        var events = 0
        var newest: UInt64 = 0
        while newest < last, let received = try await client.next(within: .seconds(10)) {
            guard case .alert(let alert) = received.event else { continue }
            events += 1
            newest = max(newest, alert.eventId)
        }
        return (events, Double(start.duration(to: .now) / .seconds(1)))
    }
}
