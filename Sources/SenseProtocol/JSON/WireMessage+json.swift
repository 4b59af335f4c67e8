extension WireMessage {
    /// Decodes one whole message from canonical protobuf JSON (subprotocol `sense.v1.json`). Never traps; offsets of
    /// errors count bytes of the text.
    public static func decodeJSON(
        _ text: [UInt8], limits: WireLimits = .default
    ) throws(WireError) -> Decoded<Self> {
        var reader = try JSONReader(text, limits: limits)
        var message = Self()
        try reader.wholeMessage(into: &message)
        var decoded = Decoded(message: message, unknownFields: reader.unknownFields)
        decoded.unknownOutermostKey = reader.unknownOutermostKey
        return decoded
    }

    /// The message as canonical protobuf JSON, UTF-8, on one line.
    public func serializedJSON() -> [UInt8] {
        var writer = JSONWriter()
        writer.message(self)
        return writer.text
    }
}
