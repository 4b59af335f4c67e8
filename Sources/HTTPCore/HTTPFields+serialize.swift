extension HTTPFields {
    /// Appends the field lines, each with its line end.
    func serialize(into output: inout [UInt8]) {
        for field in all {
            Self.append(field.name, to: &output)
            output.append(contentsOf: ": ".utf8)
            Self.append(field.value, to: &output)
            output.append(contentsOf: "\r\n".utf8)
        }
    }

    /// Control bytes become spaces (RFC 9110 section 5.5), so that no value can start a field of its own.
    static func append(_ text: String, to output: inout [UInt8]) {
        output.append(contentsOf: text.utf8.lazy.map { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F ? 0x20 : $0 })
    }
}
