/// Inputs that both training and server can make from a formula (described in `Models/README.md`).
enum GoldenInput {
    /// The first input of a model, row-major, for a batch of one; nil for an unknown kind.
    static func make(_ golden: ModelManifest.Golden, count: Int) -> [Float]? {
        switch golden.kind {
        case "values": golden.input
        case "lcgNoiseAndSquare": lcgNoiseAndSquare(count)
        default: nil
        }
    }

    /// Seeded noise with a half-second square tone in each second.
    static func lcgNoiseAndSquare(_ count: Int) -> [Float] {
        var state: UInt32 = 1
        return (0..<count).map { n in
            state = state &* 1_664_525 &+ 1_013_904_223
            let noise = Float(state >> 8) / 8_388_608 - 1
            let square: Float = n % 22_050 >= 11_025 ? 0 : n % 22 < 11 ? 1 : -1
            return 0.05 * noise + 0.25 * square
        }
    }
}
