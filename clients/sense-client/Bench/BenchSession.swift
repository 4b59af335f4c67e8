import SenseClientKit
import SenseProtocol

/// One device of a load test. Isolation: its loop.
final class BenchSession {
    let index: Int
    let plan: BenchPlan
    private let loop: ClientLoop
    let recorder: BenchRecorder
    private let code: String
    var link: SessionLink?
    private(set) var stream: UInt32 = 0
    private var sentCount: UInt64 = 0
    /// When the last chunks left, newest last; an answer comes within them.
    private var departures: [(endSample: UInt64, atUs: UInt64)] = []

    init(index: Int, code: String, plan: BenchPlan, loop: ClientLoop, recorder: BenchRecorder) {
        self.index = index
        self.code = code
        self.plan = plan
        self.loop = loop
        self.recorder = recorder
        // Real devices start whenever they like: spread evenly over the time after which the load repeats, a message or
        // the server's step of 0.32 s. Multiples of the golden ratio are even for any number of devices.
        let even = (Double(index) * 0.618_033_988_75).truncatingRemainder(dividingBy: 1)
        let late = even * (plan.kind == .audio ? 0.32 * plan.messagesPerSecond : 1)
        phase = late.truncatingRemainder(dividingBy: 1)
        skips = Int(late)
    }

    func start(address: ServerAddress, addresses: ResolvedAddresses, trust: ServerTrust) {
        let greeting = ClientGreeting(
            credential: .pairingCode(code), deviceName: "bench-\(index)", appVersion: CommandContext.version,
            room: plan.kind == .alerts ? BenchAlerts.room(index) : "", watchesAlerts: false)
        // The link keeps this session through its callback until the connection ends.
        let link = SessionLink(loop: loop, session: ClientSession(greeting: greeting)) { self.handle($0) }
        self.link = link
        link.start(address: address, addresses: addresses, trust: trust, timeout: .seconds(30))
    }

    /// Where in the period between two messages it sends, 0…1.
    let phase: Double
    /// Messages that it is late.
    private var skips: Int

    private func handle(_ event: ClientEvent) {
        let now = ClientLoop.nowUs
        switch event {
        case .welcomed(let welcome):
            recorder.paired(deviceID: welcome.deviceId)
            open()
        case .message(.streamOpened):
            if plan.kind == .alerts { speak() }
            recorder.streamOpened()
        case .message(.letterUpdate(let update)) where update.monoUs > 0:
            recorder.note(latencyMs: Double(Int64(clamping: now) - Int64(clamping: update.monoUs)) / 1000)
        case .message(.soundScores(let scores)):
            if let departure = departures.first(where: { $0.endSample >= scores.windowEndSample }) {
                recorder.note(latencyMs: Double(now - departure.atUs) / 1000)
            }
        case .message(.songStatus(let status)): play(status)
        case .message(.musicFrames(let message)): take(message, atUs: now)
        case .message(.hapticEvents(let message)): recorder.note { $0.music.add(message) }
        case .alert: recorder.countAlert()
        case .problem: recorder.countProblem()
        case .ended(let error):
            if let error { recorder.failed(error) }
            link = nil
        default: break
        }
    }

    private func open() {
        let format: OpenStream.Format =
            switch plan.kind {
            case .hands:
                .hands(
                    HandFormat(
                        producer: .mediapipe, yAxis: .down, hasZ: true, handedness: .right,
                        everyFrame: plan.everyFrame))
            case .audio, .alerts:
                .audio(
                    AudioFormat(
                        encoding: .pcmS16le, sampleRateHz: UInt32(BenchPlan.sampleRateHz), channels: 1,
                        captureMode: .raw))
            case .music: .music(MusicFormat())
            }
        do throws(ClientError) {
            stream =
                try link?.perform { session, now throws(ClientError) in
                    try session.openStream(format, atUs: now)
                } ?? 0
        } catch {
            recorder.failed(error)
        }
    }

    /// Says goodbye.
    func leave() { link?.leave() }

    /// Sends the next message.
    func sendNext() {
        guard let link else { return }
        guard skips == 0 else {
            skips -= 1
            return
        }
        let now = ClientLoop.nowUs
        let body: Envelope.Body
        switch plan.kind {
        case .music: return
        case .alerts:
            breakDown()
            return
        case .hands: body = .handFrames(HandFrames(streamId: stream, frames: nextFrames(now)))
        case .audio:
            let first = sentCount * UInt64(BenchPlan.chunkSamples)
            if departures.count == 100 { departures.removeFirst(50) }
            departures.append((first + UInt64(BenchPlan.chunkSamples), now))
            body = .audioChunk(
                AudioChunk(
                    streamId: stream, firstSampleIndex: first, monoUs: now,
                    samples: plan.chunk(sentCount, of: index)))
            sentCount += 1
        }
        do throws(ClientError) {
            try link.perform { session, now throws(ClientError) in _ = try session.send(body, atUs: now) }
            recorder.countSent(plan.kind == .hands ? plan.framesPerMessage : 1)
        } catch {
            recorder.countProblem()
        }
    }

    /// The frames since the last message. Each bears the time its message leaves, less its age: the newest is new.
    private func nextFrames(_ now: UInt64) -> [HandFrame] {
        let count = plan.framesPerMessage
        let intervalUs = UInt64(1e6 / plan.framesPerSecond)
        return (0..<count).map { place in
            let pose = plan.poses[(Int(sentCount) + index * 37) % plan.poses.count]
            sentCount += 1
            return HandFrame(
                frameIndex: sentCount, monoUs: now - UInt64(count - 1 - place) * intervalUs, points: pose)
        }
    }
}
