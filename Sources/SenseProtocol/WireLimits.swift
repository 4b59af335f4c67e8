/// How much one message may hold. Every limit is checked before memory is taken for what it limits.
///
/// `protocol/LIMITS.md` lists the same numbers with their reasons and the error code each leads to.
public struct WireLimits: Sendable, Equatable {
    /// Bytes of one message (= one WebSocket message).
    public var maxMessageBytes: Int
    /// Messages nested in messages, the outermost counting 1; the schema itself needs 6.
    public var maxDepth: Int
    /// Messages, texts, byte strings and map entries in all repeated fields together. Bounds memory amplification: an
    /// empty element costs 2 bytes on the wire and up to some 300 in memory.
    public var maxElements: Int
    /// Numbers in all repeated fields together.
    public var maxScalars: Int
    /// UTF-8 bytes of one text.
    public var maxStringBytes: Int
    /// Bytes of one `bytes` field.
    public var maxBytesBytes: Int
    /// Bytes of one message in JSON. Larger than `maxMessageBytes`, since JSON costs about 3.5 times the binary form.
    public var maxJSONBytes: Int

    /// Limits for messages of at most `maxMessageBytes`; the others follow from it unless stated.
    public init(
        maxMessageBytes: Int, maxDepth: Int = 16, maxElements: Int = 4_096, maxScalars: Int = 65_536,
        maxStringBytes: Int? = nil, maxBytesBytes: Int? = nil, maxJSONBytes: Int? = nil
    ) {
        self.maxMessageBytes = maxMessageBytes
        self.maxDepth = maxDepth
        self.maxElements = maxElements
        self.maxScalars = maxScalars
        self.maxStringBytes = maxStringBytes ?? min(maxMessageBytes, 262_144)
        self.maxBytesBytes = maxBytesBytes ?? maxMessageBytes
        self.maxJSONBytes = maxJSONBytes ?? maxMessageBytes.multipliedReportingOverflow(by: 4).partialValue
    }

    /// 64 KiB: before Hello, and for class `watch` and every class not named here.
    public static let `default` = WireLimits(maxMessageBytes: 65_536)
    /// 4 KiB: class `wearable`, whose chips have some 100 KB of memory in all.
    public static let wearable = WireLimits(maxMessageBytes: 4_096)
    /// 1 MiB: classes that stream audio or songs. Two seconds of 48 kHz stereo float32 are 768,000 bytes.
    public static let media = WireLimits(maxMessageBytes: 1_048_576)

    /// The limits of a device class once its Hello was accepted.
    public static func forClass(_ deviceClass: DeviceClass) -> WireLimits {
        switch deviceClass {
        case .wearable: .wearable
        case .phone, .tablet, .browser, .terminal, .roomMicrophone: .media
        case .watch, .unspecified, .unrecognized: .default
        }
    }
}
