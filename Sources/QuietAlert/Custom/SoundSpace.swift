import Numerics

/// Where a person's own sounds are compared: a linear map of the network's embedding, learned together with the network
/// so that takes of one sound lie near each other, and a bank of everyday sounds as strangers.
///
/// It belongs to one network file (by SHA-256) and fits no other. Stored little-endian (`Models/README.md`): the text
/// `SENSESP1`; 32 bytes of SHA-256; five UInt32: embedding width, own width, lag in steps, strangers, samples of a step; then binary32
/// numbers: three constants of the threshold (see `CustomSoundTrainer`), silence `[width]`, the map `[width × embedding]`, the strangers
/// `[count × width]`.
public struct SoundSpace: Equatable, Sendable {
    /// SHA-256 of the network that it was learned with.
    public let modelDigest: [UInt8]
    /// Numbers of the network's embedding.
    public let embeddingWidth: Int
    /// Numbers of a vector.
    public let width: Int
    /// What is new in the sound is the difference to so many steps before.
    public let lagSteps: Int
    /// Where silence lies, `[width]`: what was before a stream that begins.
    public let silence: [Float]
    /// Samples between two embeddings.
    public let stepSamples: Int
    /// How a threshold is found.
    public let rule: ThresholdRule
    private let map: [Float]
    /// Unit vectors of everyday sounds, `[count × width]`.
    let strangers: [Float]

    static let mark: [UInt8] = Array("SENSESP1".utf8)
    static let headerBytes = 8 + 32 + 20
    /// Largest embedding read.
    static let maxEmbeddingWidth = 8192
    /// Most strangers read.
    static let maxStrangers = 16_384
    /// Largest file: some times what the shipped one takes.
    public static let maxBytes = 16 << 20

    /// A space of given parts; nil where they do not fit together.
    public init?(
        modelDigest: [UInt8], embeddingWidth: Int, width: Int, lagSteps: Int, stepSamples: Int,
        rule: ThresholdRule, silence: [Float], map: [Float], strangers: [Float]
    ) {
        guard modelDigest.count == 32, (1...Self.maxEmbeddingWidth).contains(embeddingWidth),
            (1...CustomSoundLimits.maxWidth).contains(width), (1...NoveltyTrail.maxSteps).contains(lagSteps),
            (1...AudioStepper.memorySamples).contains(stepSamples),
            silence.count == width, map.count == width * embeddingWidth, strangers.count % width == 0,
            (1...Self.maxStrangers).contains(strangers.count / width), rule.isUsable,
            silence.allSatisfy(\.isFinite), map.allSatisfy(\.isFinite), strangers.allSatisfy(\.isFinite)
        else { return nil }
        self.modelDigest = modelDigest
        self.embeddingWidth = embeddingWidth
        self.width = width
        self.lagSteps = lagSteps
        self.stepSamples = stepSamples
        self.rule = rule
        self.silence = silence
        self.map = map
        self.strangers = strangers
    }

    /// Reads the stored form; nil when it is none.
    public init?(bytes: [UInt8]) {
        var reader = FloatReader(bytes)
        guard bytes.count <= Self.maxBytes, reader.take(8) == Self.mark, let digest = reader.take(32),
            let embedding = reader.count(max: Self.maxEmbeddingWidth),
            let width = reader.count(max: CustomSoundLimits.maxWidth),
            let lag = reader.count(max: NoveltyTrail.maxSteps),
            let strangers = reader.count(max: Self.maxStrangers),
            let step = reader.count(max: AudioStepper.memorySamples),
            let rule = reader.floats(3), let silence = reader.floats(width),
            let map = reader.floats(width * embedding),
            let bank = reader.floats(width * strangers), reader.isAtEnd
        else { return nil }
        self.init(
            modelDigest: digest, embeddingWidth: embedding, width: width, lagSteps: lag, stepSamples: step,
            rule: ThresholdRule(strangerMargin: rule[0], spreadShare: rule[1], leastThreshold: rule[2]),
            silence: silence, map: map, strangers: bank)
    }

    /// The embedding as a point of the space; empty when it is of another width.
    public func point(_ embedding: Span<Float>) -> [Float] {
        guard embedding.count == embeddingWidth else { return [] }
        let map = map.span
        return (0..<width).map { row in
            FloatKernels.dot(map, at: row * embeddingWidth, embedding, at: 0, count: embeddingWidth)
        }
    }
}

/// Numbers by which a threshold is set between a sound's own examples and strangers; chosen on training data.
public struct ThresholdRule: Equatable, Sendable {
    /// How far above the most similar stranger a threshold lies at least.
    public var strangerMargin: Float
    /// How far down from how alike the examples are to the strangers a threshold may come, 0…1.
    public var spreadShare: Float
    /// No threshold is lower.
    public var leastThreshold: Float

    /// A rule.
    public init(strangerMargin: Float, spreadShare: Float, leastThreshold: Float) {
        self.strangerMargin = strangerMargin
        self.spreadShare = spreadShare
        self.leastThreshold = leastThreshold
    }

    var isUsable: Bool {
        (0...1).contains(strangerMargin) && (0...1).contains(spreadShare) && (0..<1).contains(leastThreshold)
    }
}
