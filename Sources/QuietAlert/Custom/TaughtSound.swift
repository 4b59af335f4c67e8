/// A sound that a person taught: a name, and what its examples look like to one network.
public struct TaughtSound: Equatable, Sendable {
    /// What the person calls it.
    public var label: String
    /// How much it matters; never life safety, which is for alarms by their pattern alone.
    public var urgency: SoundUrgency
    /// Name of the network that it was taught to.
    public var modelName: String
    /// Version of that network.
    public var modelVersion: String
    /// SHA-256 of that network. Another one hears differently: to it the sound has to be taught again.
    public var modelDigest: [UInt8]
    /// 3…10 examples.
    public var examples: [CustomSoundExample]
    /// Similarity from which on it is heard, −1…1.
    public var threshold: Float

    /// All of it, as the trainer or a test has it.
    public init(
        label: String, urgency: SoundUrgency, modelName: String, modelVersion: String, modelDigest: [UInt8],
        examples: [CustomSoundExample], threshold: Float
    ) {
        self.label = label
        self.urgency = urgency
        self.modelName = modelName
        self.modelVersion = modelVersion
        self.modelDigest = modelDigest
        self.examples = examples
        self.threshold = threshold
    }

    // MARK: Stored form

    /// Little-endian: one byte of version, label, urgency, model name, version and digest, threshold, width, examples.
    public var bytes: [UInt8] {
        let width = examples.first?.vectors.first?.count ?? 0
        var bytes: [UInt8] = [1]
        for text in [label, modelName, modelVersion] {
            let text = text.utf8.prefix(255)
            bytes += [UInt8(text.count)] + text
        }
        bytes += [UInt8(urgency.rawValue)] + modelDigest + FloatReader.bytes([threshold])
        bytes += FloatReader.bytes(UInt32(width)) + [UInt8(clamping: examples.count)]
        for example in examples {
            bytes += [UInt8(clamping: example.vectors.count)] + FloatReader.bytes([example.magnitude])
            bytes += FloatReader.bytes(example.vectors.flatMap { $0 })
        }
        return bytes
    }

    /// Reads the stored form; nil when it is none.
    public init?(bytes: [UInt8]) {
        var reader = FloatReader(bytes)
        func text() -> String? {
            reader.byte().flatMap { reader.take($0) }.map { String(decoding: $0, as: UTF8.self) }
        }
        guard bytes.count <= CustomSoundLimits.maxStoredBytes, reader.byte() == 1, let label = text(),
            (1...CustomSoundLimits.maxNameBytes).contains(label.utf8.count), let name = text(),
            let version = text(), let urgency = reader.byte().flatMap({ SoundUrgency(rawValue: $0) }),
            urgency < .lifeSafety, let digest = reader.take(32), let threshold = reader.floats(1)?.first,
            threshold.isFinite, let width = reader.count(max: CustomSoundLimits.maxWidth),
            let count = reader.byte(), CustomSoundLimits.examples.contains(count)
        else { return nil }
        var examples: [CustomSoundExample] = []
        for _ in 0..<count {
            guard let vectors = reader.byte(), (1...CustomSoundLimits.maxVectors).contains(vectors),
                let magnitude = reader.floats(1)?.first, magnitude.isFinite,
                let values = reader.floats(vectors * width), values.allSatisfy(\.isFinite)
            else { return nil }
            examples.append(
                CustomSoundExample(
                    vectors: (0..<vectors).map { Array(values[($0 * width)..<(($0 + 1) * width)]) },
                    magnitude: magnitude))
        }
        guard reader.isAtEnd else { return nil }
        self.init(
            label: label, urgency: urgency, modelName: name, modelVersion: version, modelDigest: digest,
            examples: examples, threshold: threshold)
    }
}
