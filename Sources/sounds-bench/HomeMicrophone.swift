import QuietAlert
import SenseProtocol
import SessionCore

/// A device that streams sound to a session of its own, on a clock that its samples drive.
final class HomeMicrophone {
    /// One alert.
    struct Told {
        var label: String
        /// Seconds of the recording when it was told, and where it began.
        var atSeconds: Double
        var onsetSeconds: Double
    }

    private(set) var told: [Told] = []
    /// Steps that the network computed.
    private(set) var computedSteps = 0
    private(set) var jobs: [SoundJob] = []
    private(set) var seconds = 0.0

    private var session: Session
    private var sentSamples = 0
    private var seq: UInt64 = 0

    private static let rateHz = AudioStepper.sampleRateHz
    /// 100 ms, as phones send.
    static let chunkSamples = 2_205
    private static let streamID: UInt32 = 1

    init(_ context: SessionContext) {
        session = Session(context: context, headerToken: nil, at: Self.now(0))
        send(.hello(Hello(deviceClass: .phone, deviceName: "bench", credential: .token("-"), room: "home")))
        act { session, now, actions in
            session.authenticated(
                Identity(deviceID: "bench", profileID: "home", role: .subject), sessionID: [1], rooms: [],
                at: now, actions: &actions)
        }
        let format = AudioFormat(
            encoding: .pcmS16le, sampleRateHz: UInt32(Self.rateHz), channels: 1, captureMode: .raw)
        send(.openStream(OpenStream(streamId: Self.streamID, format: .audio(format))))
    }

    /// Sends one chunk of 22,050 Hz, mono.
    func hear(_ block: [Float]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * block.count)
        for x in block {
            let bits = UInt16(bitPattern: Int16(max(-32_768, min(32_767, (x * 32_768).rounded()))))
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
        }
        let first = sentSamples
        sentSamples += block.count
        seconds = Double(sentSamples) / Double(Self.rateHz)
        let monoUs = UInt64(Double(first) / Double(Self.rateHz) * 1e6) + 1
        send(
            .audioChunk(
                AudioChunk(
                    streamId: Self.streamID, firstSampleIndex: UInt64(first), monoUs: monoUs, samples: bytes))
        )
    }

    /// Jobs that wait for the network.
    func takeJobs() -> [SoundJob] {
        defer { jobs = [] }
        computedSteps += jobs.count
        return jobs
    }

    func answer(_ job: SoundJob, classLogits: [Float]?, presenceLogit: Float, point: [Float], state: [Float])
    {
        act { session, now, actions in
            session.soundScored(
                job, classLogits: classLogits, presenceLogit: presenceLogit, point: point, state: state,
                at: now,
                actions: &actions)
        }
    }

    private func send(_ body: Envelope.Body) {
        seq += 1
        let envelope = Envelope(seq: seq, body: body)
        act { session, now, actions in
            session.receive(envelope, unknownBody: nil, at: now, actions: &actions)
        }
    }

    private static func now(_ seconds: Double) -> Now {
        let us = UInt64(seconds * 1e6)
        return Now(serverUs: 1_000_000_000 + us, unixUs: 1_700_000_000_000_000 + us)
    }

    private func act(_ body: (inout Session, Now, inout [SessionAction]) -> Void) {
        var actions: [SessionAction] = []
        body(&session, Self.now(seconds), &actions)
        for action in actions {
            switch action {
            case .scoreSound(let job): jobs.append(job)
            case .profile(.sound(let sound)) where sound.step == .confirmed:
                told.append(
                    Told(
                        label: sound.label, atSeconds: seconds,
                        onsetSeconds: Double(sound.onsetSampleIndex) / Double(Self.rateHz)))
            default: break
            }
        }
    }
}
