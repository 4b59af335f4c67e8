/// Feeds an incremental decoder the same input in every way a network may deliver it: whole, byte by byte,
/// split once at every offset, in random cuts, and with all samples joined.
///
/// A decoder is given as a function that makes a fresh one and returns its feed: bytes in, outputs out.
/// An error of the decoder is an output as well, so that where it appears in the sequence is compared too.
/// ```swift
/// let mismatches = DecoderVerifier(samples: [([0x01], [.one]), ([0x02], [.two])]) {
///     var decoder = MyDecoder()
///     return { bytes in decoder.receive(bytes) }
/// }.mismatches()
/// #expect(mismatches.isEmpty)
/// ```
public struct DecoderVerifier<Output: Equatable> {
    /// Takes the next bytes, returns the outputs they complete.
    public typealias Feed = ([UInt8]) -> [Output]

    /// One way of delivery that gave something other than expected.
    public struct Mismatch: CustomStringConvertible {
        /// The delivery that failed, for example `sample 2, split at 7`.
        public let delivery: String
        /// What should have come out.
        public let expected: [Output]
        /// What came out.
        public let got: [Output]

        /// One line for the test log.
        public var description: String { "\(delivery): expected \(expected), got \(got)" }
    }

    private let samples: [(input: [UInt8], outputs: [Output])]
    private let joins: Bool
    private let seed: UInt64
    private let randomDeliveries: Int
    private let makeFeed: () -> Feed

    /// - Parameters:
    ///   - samples: inputs, each with the outputs it must give.
    ///   - joins: whether the samples may follow one another on one decoder (false if one of them is an error).
    ///   - seed: of the random cuts.
    ///   - randomDeliveries: how many random cuttings to try per sample.
    ///   - makeFeed: makes a fresh decoder and returns its feed.
    public init(
        samples: [(input: [UInt8], outputs: [Output])], joins: Bool = true, seed: UInt64 = 1,
        randomDeliveries: Int = 20, makeFeed: @escaping () -> Feed
    ) {
        self.samples = samples
        self.joins = joins
        self.seed = seed
        self.randomDeliveries = randomDeliveries
        self.makeFeed = makeFeed
    }

    /// Runs every delivery; empty when all gave the expected outputs. Inputs above 4,096 bytes are split
    /// at 256 offsets spread over them rather than at each.
    public func mismatches() -> [Mismatch] {
        var found: [Mismatch] = []
        for (index, sample) in samples.enumerated() {
            verify(sample, name: "sample \(index)", into: &found)
        }
        if joins, samples.count > 1 {
            let joined = (samples.flatMap(\.input), samples.flatMap(\.outputs))
            verify(joined, name: "all samples joined", into: &found)
        }
        return found
    }

    private func verify(
        _ sample: (input: [UInt8], outputs: [Output]), name: String, into found: inout [Mismatch]
    ) {
        func deliver(_ pieces: [[UInt8]], _ how: String) {
            let feed = makeFeed()
            let got = pieces.flatMap(feed)
            if got != sample.outputs {
                found.append(Mismatch(delivery: "\(name), \(how)", expected: sample.outputs, got: got))
            }
        }
        let input = sample.input
        deliver([input], "whole")
        deliver(input.map { [$0] }, "byte by byte")
        let step = input.count > 4096 ? max(1, input.count / 256) : 1
        for offset in stride(from: 1, to: input.count, by: step) {
            deliver([Array(input[..<offset]), Array(input[offset...])], "split at \(offset)")
        }
        var random = SeededBytes(seed: seed)
        for round in 0..<randomDeliveries {
            let longest = max(1, input.count / random.int(in: 1...8))
            deliver(random.cut(input, maxPieceBytes: longest), "random cut \(round) of seed \(seed)")
        }
    }
}
