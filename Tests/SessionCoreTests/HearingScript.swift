import Numerics
import SenseProtocol
import SessionCore

/// A microphone in the hall and its person on one manual clock: samples go in, alerts come out.
struct HearingScript {
    /// What the room sounds like at a time, −1…1 at full scale; beyond it is cut as a converter does.
    typealias Wave = @Sendable (_ seconds: Double, _ noise: inout SeededNoise) -> Double

    /// Whether the sound network answers.
    enum Network { case answers, isStuck }

    /// The session of the microphone at the person's side; the watch is 2.
    static let microphone: UInt64 = 1

    var device: SessionScript
    var person = ProfileScript()
    /// Format as declared.
    private(set) var format: AudioFormat
    /// What the device was told of its stream.
    private(set) var reports: [StreamHealth] = []
    private var noise = SeededNoise(seed: 11)
    private var sentFrames: UInt64 = 0
    private var startUs: UInt64

    init(_ format: AudioFormat = HearingScript.raw()) {
        device = .welcomed()
        self.format = format
        startUs = device.now.serverUs
        person.attach(Self.microphone, device: "phone")
        person.attach(2, device: "watch")
        device.send(.openStream(OpenStream(streamId: 1, format: .audio(format))))
        pass()
    }

    /// 22,050 Hz is what the network hears: without a change of rate the tests cost half.
    static func raw(_ rateHz: UInt32 = 22_050, _ encoding: AudioEncoding = .pcmS16le) -> AudioFormat {
        AudioFormat(encoding: encoding, sampleRateHz: rateHz, channels: 1, captureMode: .raw)
    }

    /// Noise of a level that is told as RMS, near enough to a normal distribution where 16 bits cut it.
    static func noise(_ levelDBFS: Double) -> Wave {
        let unit = Elementary.pow(10, levelDBFS / 20)
        return { _, noise in
            var sum = -2.0
            for _ in 0..<4 { sum += noise.uniform() }
            return unit * sum * 3.0.squareRoot()
        }
    }

    /// Somebody is at home.
    static let home = noise(-50)

    /// All revisions of alerts told so far.
    var alerts: [Alert] { person.log }

    /// Sends `seconds` of sound in chunks.
    /// - Parameter trueRateHz: how fast the source really samples; nil = as declared.
    mutating func play(
        _ seconds: Double, chunkMs: UInt64 = 100, trueRateHz: UInt32? = nil, network: Network = .answers,
        _ wave: Wave
    ) {
        let rateHz = UInt64(trueRateHz ?? format.sampleRateHz)
        var leftUs = UInt64(seconds * 1_000_000)
        while leftUs > 0 {
            let stepUs = min(leftUs, chunkMs * 1000)
            leftUs -= stepUs
            let begin = device.now.serverUs - startUs
            let count = rateHz * stepUs / 1_000_000
            let samples = (0..<count).map { wave(Double(begin) / 1e6 + Double($0) / Double(rateHz), &noise) }
            advance(stepUs)
            device.send(
                .audioChunk(
                    AudioChunk(
                        streamId: 1, firstSampleIndex: sentFrames, monoUs: begin + 1, samples: bytes(samples))
                ))
            sentFrames += count
            if network == .answers { SessionAudioTests.answerSteps(&device) }
            pass()
        }
    }

    /// Lets time pass in which the microphone sends nothing but that it is there.
    mutating func wait(_ seconds: Double) {
        for _ in 0..<Int(seconds) {
            advance(1_000_000)
            device.send(.heartbeat(Heartbeat()))
            pass()
        }
    }

    /// The stream goes on in another format.
    mutating func change(to next: AudioFormat) {
        device.send(
            .streamFormat(StreamFormat(streamId: 1, effectiveSampleIndex: sentFrames, format: .audio(next))))
        format = next
        sentFrames = 0
        pass()
    }

    private mutating func advance(_ us: UInt64) {
        var leftUs = us
        while leftUs > 0 {
            let stepUs = min(leftUs, 250_000)
            leftUs -= stepUs
            device.advance(Double(stepUs) / 1e6)
            person.run(Double(stepUs) / 1e6)
            device.tick()
            pass()
        }
    }

    /// Hands to the person what the session has said.
    private mutating func pass() {
        for case .send(let envelope, _) in device.actions {
            if case .streamHealth(let health)? = envelope.body { reports.append(health) }
        }
        for input in device.profileInputs { person.receive(input, from: Self.microphone) }
        device.actions.removeAll { if case .scoreSound = $0 { false } else { true } }
    }

    private func bytes(_ samples: [Double]) -> [UInt8] {
        samples.flatMap { sample -> [UInt8] in
            let cut = max(-1, min(1, sample))
            if format.encoding == .pcmF32le {
                let bits = Float(cut).bitPattern
                return (0..<4).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
            }
            let bits = UInt16(bitPattern: Int16(max(-32_768, min(32_767, (cut * 32_768).rounded()))))
            return [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
        }
    }
}
