extension Envelope {
    /// Field numbers that belong to bodies, known or not.
    static let bodyNumbers: ClosedRange<UInt32> = 5...99

    /// An envelope with a body; the connection fills in `seq`, `ack` and `monoUs`.
    public init(_ body: Body, mustUnderstand: Bool = false) {
        self.init(mustUnderstand: mustUnderstand, body: body)
    }
}

extension Decoded where Message == Envelope {
    /// Number of a body that this version does not know; nil if there is none, or if it came as JSON.
    public var unknownBodyField: UInt32? {
        Envelope.bodyNumbers.contains(unknownOutermostField) ? unknownOutermostField : nil
    }

    /// `#NUMBER` or JSON name of a body that this version does not know. If `message.mustUnderstand` is set the
    /// answer is `Error` with `UNSUPPORTED` naming it; otherwise it is counted and skipped.
    public var unknownBody: String? {
        if let number = unknownBodyField { return "#\(number)" }
        return message.body == nil ? unknownOutermostKey : nil
    }
}
