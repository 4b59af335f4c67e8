/// What a person may set about their spelling.
public struct DecoderSettings: Equatable, Sendable {
    /// The hand is away for so long: a space.
    public var awaySpaceUs: UInt64 = 700_000
    /// The hand is away for so long: the phrase is over.
    public var phraseEndUs: UInt64 = 3_000_000
    /// The hand is in view, at rest and shows no letter for so long: a space; 0 = never. Holding a letter makes none.
    public var restSpaceUs: UInt64 = 1_200_000

    /// 0.7 s, 3 s and 1.2 s (PRODUCT T19).
    public init() {}
}
