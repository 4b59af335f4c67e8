import SenseClientKit
import SenseProtocol

/// One device of a load test. Isolation: its loop.
final class BenchSession {
    private let index: Int
    private let plan: BenchPlan
    private let loop: ClientLoop
    private let recorder: BenchRecorder
    private let code: String
    private var link: SessionLink?
    private var stream: UInt32 = 0
    private var sentCount: UInt64 = 0
    private var firstDueUs: UInt64 = 0
    /// When the last chunks left, newest last; an answer comes within them.
    private var departures: [(endSample: UInt64, atUs: UInt64)] = []

    init(index: Int, code: String, plan: BenchPlan, loop: ClientLoop, recorder: BenchRecorder) {
        self.index = index
        self.code = code
        self.plan = plan
        self.loop = loop
        self.recorder = recorder
    }

    func start(address: ServerAddress, addresses: ResolvedAddresses, trust: ServerTrust) {
        let greeting = ClientGreeting(
            credential: .pairingCode(code), deviceName: "bench-\(index)", appVersion: CommandContext.version,
            watchesAlerts: false)
        // The link keeps this session through its callback until the connection ends.
        let link = SessionLink(loop: loop, session: ClientSession(greeting: greeting)) { self.handle($0) }
        self.link = link
        link.start(address: address, addresses: addresses, trust: trust, timeout: .seconds(30))
    }

    private func handle(_ event: ClientEvent) {
        let now = ClientLoop.nowUs
        switch event {
        case .welcomed(let welcome):
            recorder.paired(deviceID: welcome.deviceId)
            open()
        case .message(.streamOpened):
            recorder.streamOpened()
            waitForStart()
        case .message(.letterUpdate(let update)) where update.monoUs > 0:
            recorder.note(latencyMs: Double(Int64(clamping: now) - Int64(clamping: update.monoUs)) / 1000)
        case .message(.soundScores(let scores)):
            if let departure = departures.first(where: { $0.endSample >= scores.windowEndSample }) {
                recorder.note(latencyMs: Double(now - departure.atUs) / 1000)
            }
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
                .hands(HandFormat(producer: .mediapipeTrue, yAxis: .down, hasZ: true, handedness: .right))
            case .audio:
                .audio(
                    AudioFormat(
                        encoding: .pcmS16le, sampleRateHz: UInt32(BenchPlan.sampleRateHz), channels: 1,
                        captureMode: .raw))
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

    private func waitForStart() {
        guard recorder.isStarted || !recorder.isSending else {
            loop.schedule(after: .milliseconds(100)) { self.waitForStart() }
            return
        }
        // Real devices start whenever they like: spread evenly over the time after which the load repeats, a frame or
        // the server's step of 0.32 s. Multiples of the golden ratio are even for any number of devices.
        let period = plan.kind == .audio ? 0.32 : 1 / plan.messagesPerSecond
        let spread = (Double(index) * 0.618_033_988_75).truncatingRemainder(dividingBy: 1) * period
        firstDueUs = ClientLoop.nowUs + UInt64(spread * 1e6)
        schedule()
    }

    private func schedule() {
        let dueUs = firstDueUs + UInt64(Double(sentCount) / plan.messagesPerSecond * 1e6)
        let now = ClientLoop.nowUs
        loop.schedule(after: .microseconds(Int64(dueUs > now ? dueUs - now : 0))) { self.sendNext() }
    }

    private func sendNext() {
        guard let link else { return }
        guard recorder.isSending else {
            link.leave()
            return
        }
        let now = ClientLoop.nowUs
        let body: Envelope.Body
        switch plan.kind {
        case .hands:
            let pose = plan.poses[(Int(sentCount) + index * 37) % plan.poses.count]
            body = .handFrames(
                HandFrames(
                    streamId: stream, frames: [HandFrame(frameIndex: sentCount, monoUs: now, points: pose)]))
        case .audio:
            let first = sentCount * UInt64(BenchPlan.chunkSamples)
            if departures.count == 100 { departures.removeFirst(50) }
            departures.append((first + UInt64(BenchPlan.chunkSamples), now))
            body = .audioChunk(
                AudioChunk(
                    streamId: stream, firstSampleIndex: first, monoUs: now,
                    samples: plan.chunk(sentCount, of: index)))
        }
        do throws(ClientError) {
            try link.perform { session, now throws(ClientError) in _ = try session.send(body, atUs: now) }
            recorder.countSent()
        } catch {
            recorder.countProblem()
        }
        sentCount += 1
        schedule()
    }
}
