import Glibc
import SenseClientKit

/// `tone`: writes the signal of a smoke or CO alarm in room noise as a WAV file, to try the detector with.
enum ToneCommand: Subcommand {
    static let spec = CommandSpec(
        name: "tone", summary: "write an alarm signal in noise as a WAV file", positionals: ["FILE"],
        options: [
            OptionSpec("--pattern", "t3|t4", "smoke alarm (ISO 8201) or CO alarm (UL 2034) (default t3)"),
            OptionSpec("--seconds", "N", "length (default 20)"),
            OptionSpec("--hz", "F", "frequency of the tone (default 3100)"),
            OptionSpec("--snr", "DB", "tone above noise, dB (default 10)"),
            OptionSpec("--seed", "N", "of the noise (default 1)"),
        ],
        connects: false, isHidden: true)

    private static let rateHz = 22_050

    static func run(_ context: CommandContext) async throws -> ExitCode {
        let arguments = context.arguments
        let isT4 = try arguments.choice("--pattern", ["t3": false, "t4": true]) ?? false
        let seconds = try arguments.number("--seconds", in: 1.0...600.0) ?? 20
        let hz = try arguments.number("--hz", in: 50.0...10_000.0) ?? 3100
        let snr = try arguments.number("--snr", in: -20.0...60.0) ?? 10
        var noise = try arguments.number("--seed", in: 1...UInt64.max) ?? 1
        let amplitude = 0.1
        // Room noise: white noise through one pole at about 500 Hz, brought to the wished level.
        let noiseRMS = amplitude / 2.0.squareRoot() * pow(10, -snr / 20)
        let pole = exp(-2 * Double.pi * 500 / Double(rateHz))
        let gain = noiseRMS * ((1 + pole) / (1 - pole)).squareRoot() * 3.0.squareRoot()
        var smooth = 0.0
        var samples: [Int16] = []
        for index in 0..<Int(seconds * Double(rateHz)) {
            let time = Double(index) / Double(rateHz)
            noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let white = Double(noise >> 11) / Double(1 << 52) - 1
            smooth = pole * smooth + (1 - pole) * white
            let tone = amplitude * level(time, isT4: isT4) * sin(2 * Double.pi * hz * time)
            samples.append(Int16(max(-32_767, min(32_767, ((tone + smooth * gain) * 32_767).rounded()))))
        }
        let path = arguments.positionals[0]
        try LocalFile.write(wav(samples), to: path)
        context.console.tell(
            "written", ["file": .text(path), "seconds": .number(seconds), "snr_db": .number(snr)],
            "\(path.printable): \(seconds.fixed(1)) s, \(isT4 ? "T4" : "T3") at \(hz.fixed(0)) Hz, \(snr.fixed(0)) dB above the noise"
        )
        return .ok
    }

    /// 0…1 at a time; begins after two seconds of noise. Edges of 5 ms, as a buzzer has them.
    private static func level(_ time: Double, isT4: Bool) -> Double {
        guard time >= 2 else { return 0 }
        let (pulse, count, period) = isT4 ? (0.1, 4, 5.8) : (0.5, 3, 4.0)
        let position = (time - 2).truncatingRemainder(dividingBy: period)
        let slot = position / (2 * pulse)
        guard slot < Double(count) else { return 0 }
        let inSlot = position.truncatingRemainder(dividingBy: 2 * pulse)
        return max(0, min(1, inSlot / 0.005, (pulse - inSlot) / 0.005))
    }

    private static func wav(_ samples: [Int16]) -> [UInt8] {
        var bytes: [UInt8] = []
        func add(_ value: some FixedWidthInteger) {
            for shift in stride(from: 0, to: value.bitWidth, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: value >> shift))
            }
        }
        let size = UInt32(samples.count * 2)
        bytes += Array("RIFF".utf8)
        add(36 + size)
        bytes += Array("WAVEfmt ".utf8)
        add(UInt32(16))
        add(UInt16(1))
        add(UInt16(1))
        add(UInt32(rateHz))
        add(UInt32(rateHz * 2))
        add(UInt16(2))
        add(UInt16(16))
        bytes += Array("data".utf8)
        add(size)
        for sample in samples { add(sample) }
        return bytes
    }
}
