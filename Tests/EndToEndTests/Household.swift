// Invariant that makes the unsafe code safe: strings outlive the calls they are handed to.
import Glibc
import Net
import SenseClientKit
import SenseProtocol
import SenseServer
import TLS

/// A whole server in this process, on a free port, with the shipped models and an empty store; and the devices that
/// are paired with it.
final class Household: Sendable {
    let server: Server
    let loop: ClientLoop
    let address: ServerAddress
    let trust: ServerTrust
    /// SHA-256 of the server's certificate.
    let fingerprint: String
    private let folder: String

    /// The package's own folder.
    static var root: String {
        #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
    }

    init(log: Log = Log(level: .error)) throws {
        folder =
            "\(LocalFile.environment("TMPDIR") ?? "/tmp")/sense-e2e-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        var configuration = Configuration()
        configuration.listen = Configuration.Endpoint(host: "127.0.0.1", port: 0)
        configuration.dataPath = folder
        configuration.modelsPath = Self.root + "/Models"
        configuration.loopCount = 1
        server = try Server(configuration, log: log)
        loop = try ClientLoop(name: "e2e")
        address = ServerAddress(host: "127.0.0.1", port: server.address.port)
        fingerprint = server.fingerprint?.hex ?? ""
        trust = .pinned(fingerprint)
    }

    /// Everything that the server has on disk now.
    func filesOnDisk() throws -> [UInt8] {
        try ["sense.db", "sense.db-wal"].flatMap { name in
            try LocalFile.read("\(folder)/\(name)", maxBytes: 64 << 20)
        }
    }

    deinit {
        loop.stop()
        server.stop()
        for name in ["sense.db", "sense.db-wal", "sense.db-shm", "certificate.pem", "key.pem"] {
            unsafe unlink("\(folder)/\(name)")
        }
        unsafe rmdir(folder)
    }

    /// Connects with a token or code.
    func connect(
        _ credential: Hello.Credential, name: String = "test", watchesAlerts: Bool = true,
        sendsReceipts: Bool = true,
        resumption: ClientResumption? = nil
    ) async throws -> SenseClient.Connected {
        try await SenseClient.connect(
            to: address, trust: trust,
            greeting: ClientGreeting(
                credential: credential, deviceName: name, appVersion: "test", room: "kitchen",
                watchesAlerts: watchesAlerts, sendsReceipts: sendsReceipts), loop: loop,
            resumption: resumption,
            timeout: .seconds(30))
    }

    /// Pairs the first device.
    func pairFirst(name: String = "phone") async throws -> SenseClient.Connected {
        try await connect(.pairingCode(server.pairingCode ?? ""), name: name)
    }

    /// Pairs one more.
    func pairAnother(_ admin: SenseClient, name: String) async throws -> SenseClient.Connected {
        let answer = try await admin.request(.pairingCodeRequest(PairingCodeRequest(role: .subject))) {
            body in
            if case .pairingCode = body { true } else { false }
        }
        guard case .pairingCode(let code) = answer else {
            throw ClientError.timedOut(waitingFor: "pairing_code")
        }
        return try await connect(.pairingCode(code.code), name: name)
    }
}

/// A smoke alarm: temporal pattern of three at 3.1 kHz over faint noise, PCM16 at 22,050 Hz.
enum SmokeAlarm {
    static let rateHz = 22_050

    static func samples(seconds: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var noise: UInt64 = 1
        for index in 0..<seconds * rateHz {
            let time = Double(index) / Double(rateHz) - 1
            let position = time.truncatingRemainder(dividingBy: 4)
            let isOn = time >= 0 && position < 3 && position.truncatingRemainder(dividingBy: 1) < 0.5
            noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let hiss = Double(noise >> 40) / Double(1 << 24) - 0.5
            let value = Int16((isOn ? sin(2 * Double.pi * 3100 * time) * 4000 : 0) + hiss * 400)
            bytes += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        }
        return bytes
    }
}

extension SenseClient {
    /// Streams PCM16 mono as fast as it is taken, then finishes; capture times pass as the rate says.
    func stream(_ samples: [UInt8], rateHz: Int) async throws -> UInt32 {
        let stream = try await openStream(
            .audio(
                AudioFormat(
                    encoding: .pcmS16le, sampleRateHz: UInt32(rateHz), channels: 1, captureMode: .raw)))
        let chunk = rateHz / 10 * 2
        let startUs = ClientLoop.nowUs
        for start in Swift.stride(from: 0, to: samples.count, by: chunk) {
            let first = UInt64(start / 2)
            try await send(
                .audioChunk(
                    AudioChunk(
                        streamId: stream, firstSampleIndex: first,
                        monoUs: startUs + first * 1_000_000 / UInt64(rateHz),
                        samples: Array(samples[start..<min(samples.count, start + chunk)]))))
        }
        return stream
    }

    /// Finishes a stream and waits for the server's word.
    func finish(_ stream: UInt32) async throws -> Finished? {
        try await send(.finish(Finish(streamId: stream)))
        let answer = try await first(within: .seconds(120)) { event in
            if case .message(.finished(let finished)) = event { finished.streamId == stream } else { false }
        }
        if case .message(.finished(let finished))? = answer?.event { return finished }
        return nil
    }

    /// Waits for an alert.
    func alert(_ label: String, _ states: Set<AlertState>, within timeout: Duration = .seconds(60))
        async throws -> Alert?
    {
        let answer = try await first(within: timeout) { event in
            if case .alert(let alert) = event {
                alert.label == label && states.contains(alert.state)
            } else {
                false
            }
        }
        if case .alert(let alert)? = answer?.event { return alert }
        return nil
    }
}
