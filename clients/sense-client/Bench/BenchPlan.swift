import SenseClientKit
import SenseProtocol

/// What a load test does.
struct BenchPlan: Sendable {
    enum Kind: String, Sendable {
        case hands
        case audio
        case music
        case alerts
    }

    let kind: Kind
    let sessions: Int
    let framesPerSecond: Double
    /// Hand frames of one message.
    let framesPerMessage: Int
    /// Ask for an answer to each frame rather than to those that change something.
    let everyFrame: Bool
    let seconds: Double
    let warmUpSeconds: Double
    let loops: Int
    let serverPID: Int?
    /// Poses to send in turn, 63 numbers each.
    let poses: [[Float]]
    /// Noise to send in turn, 100 ms of PCM16 each, at -45 dBFS.
    let sound: [[UInt8]]
    /// The same of a quiet room: -66 dBFS.
    let quiet: [[UInt8]]
    /// Share of the time in which a device sends `sound` rather than `quiet`.
    let activeShare: Double
    /// Stem data to play.
    let song: [UInt8]

    /// Name of the song that plays.
    static let songID = "bench"
    /// Sample rate of the generated sound.
    static let sampleRateHz = 22_050
    /// Samples of one chunk.
    static let chunkSamples = 2205

    init(_ arguments: Arguments) throws {
        kind =
            try arguments.choice(
                "--kind", ["hands": .hands, "audio": .audio, "music": .music, "alerts": .alerts]) ?? .hands
        sessions = try arguments.number("--sessions", in: 1...10_000) ?? 10
        framesPerSecond = try arguments.number("--rate", in: 1.0...120.0) ?? 30
        framesPerMessage = try arguments.number("--frames-per-message", in: 1...16) ?? 1
        everyFrame = arguments.has("--every-frame")
        seconds = try arguments.number("--seconds", in: 0.5...86_400.0) ?? 10
        warmUpSeconds = try arguments.number("--warm-up", in: 0.0...600.0) ?? (kind == .hands ? 3 : 7)
        loops = try arguments.number("--loops", in: 1...16) ?? 1
        activeShare = try arguments.number("--active", in: 0.0...1.0) ?? 1
        serverPID = try arguments.number("--pid", in: 1...Int(Int32.max))
        var random = SplitMix(state: 1)
        let path = arguments.text("--file")
        if kind == .music {
            guard let path else { throw UsageError(message: "--kind music needs a song: --file STEMS.json") }
            song = try LocalFile.read(path, maxBytes: 512 * 1024)
            poses = []
        } else if let path {
            song = []
            poses = try HandSequence(path: path).frames.compactMap(\.points)
            guard !poses.isEmpty else {
                throw Failure(code: .unreadable, message: "\(path): no frame shows a hand")
            }
        } else {
            song = []
            poses = (0..<256).map { _ in Self.pose(&random) }
        }
        sound = (0..<50).map { _ in Self.noise(&random, range: 600) }
        quiet = (0..<50).map { _ in Self.noise(&random, range: 56) }
    }

    /// Chunk `number` of device `index`: active once every twenty seconds, each device at a time of its own.
    func chunk(_ number: UInt64, of index: Int) -> [UInt8] {
        let period = 200
        let place = (Int(number % UInt64(period)) + index * 67) % period
        let list = Double(place) < activeShare * Double(period) ? sound : quiet
        return list[(Int(number % UInt64(list.count)) + index * 7) % list.count]
    }

    /// Messages a second of one device.
    var messagesPerSecond: Double {
        // Every device breaks down once.
        if kind == .alerts { return framesPerSecond / Double(sessions) }
        return kind == .hands
            ? framesPerSecond / Double(framesPerMessage)
            : Double(Self.sampleRateHz) / Double(Self.chunkSamples)
    }

    /// An open hand: wrist, five fingers of four joints fanned out, each bent at random.
    private static func pose(_ random: inout SplitMix) -> [Float] {
        var points: [Float] = [0.5, 0.9, 0]
        for finger in 0..<5 {
            let lean = (Float(finger) - 2) * 0.09
            let reach = 0.06 + 0.10 * random.nextFloat()
            for joint in 1...4 {
                let length = 0.08 + reach * Float(joint)
                points += [
                    0.5 + lean * Float(joint) * 0.8 + 0.01 * random.nextFloat(), 0.9 - length,
                    -0.03 * Float(joint) * random.nextFloat(),
                ]
            }
        }
        return points
    }

    /// Uniform noise, `range` steps of PCM16 from lowest to highest.
    private static func noise(_ random: inout SplitMix, range: Float) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<chunkSamples {
            let value = Int16((random.nextFloat() - 0.5) * range)
            bytes += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        }
        return bytes
    }
}

/// A small repeatable source of numbers (SplitMix64).
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// 0…1.
    mutating func nextFloat() -> Float { Float(next() >> 40) / Float(1 << 24) }
}
