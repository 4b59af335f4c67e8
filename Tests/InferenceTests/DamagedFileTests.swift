import Inference
import Testing

/// Arbitrary damage never traps: it loads, or it is an `InferenceError`.
@Suite struct DamagedFileTests {
    static let names = [
        "fused_residual", "reshape_by_shape", "stft_64", "conv_groups", "slice", "split", "pad_reflect",
    ]

    static let limits: InferenceLimits = {
        var limits = InferenceLimits()
        limits.maxTensorElements = 1 << 20
        limits.maxFoldedElements = 1 << 20
        limits.maxArenaFloats = 1 << 22
        limits.maxMultiplyAdds = 1 << 24
        return limits
    }()

    /// Loads and, if that works, runs.
    private func exercise(_ bytes: [UInt8]) -> Bool {
        guard let model = try? InferenceModel(bytes: bytes, limits: Self.limits),
            let plan = try? ExecutionPlan(model, batch: 2)
        else { return false }
        plan.run()
        return true
    }

    @Test(arguments: names)
    func everyPrefixIsAnError(name: String) throws {
        let bytes = try GoldenFile.bytes(name + ".onnx")
        let step = max(1, bytes.count / 300)
        for end in stride(from: 0, to: bytes.count - 1, by: step) {
            // A file cut between two top-level fields may still be whole as far as it goes.
            _ = exercise(Array(bytes[..<end]))
        }
        #expect(!exercise(Array(bytes[..<(bytes.count / 2)])))
        #expect(exercise(bytes))
    }

    @Test(arguments: names)
    func changedBytesNeverTrap(name: String) throws {
        let bytes = try GoldenFile.bytes(name + ".onnx")
        // SplitMix64, seeded: the same damage on every run.
        var state: UInt64 = 0x5eed
        func random() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
        var loaded = 0
        for _ in 0..<400 {
            var damaged = bytes
            for _ in 0..<(1 + Int(random() % 3)) {
                damaged[Int(random() % UInt64(damaged.count))] = UInt8(truncatingIfNeeded: random())
            }
            if exercise(damaged) { loaded += 1 }
        }
        #expect(loaded < 400)
    }

    @Test func noiseIsAnError() {
        for count in [0, 1, 2, 10, 1000] {
            #expect(!exercise([UInt8](repeating: 0xff, count: count)))
            #expect(!exercise([UInt8](repeating: 0x3a, count: count)))
        }
    }
}
