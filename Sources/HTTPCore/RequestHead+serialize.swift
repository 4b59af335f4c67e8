extension RequestHead {
    /// The head's bytes, for the client role. Spaces and control bytes of the target are percent-encoded and
    /// control bytes of fields become spaces, so that no value can start a line of its own.
    public func serialized() -> [UInt8] {
        var output = Array("\(method.rawValue) ".utf8)
        for byte in target.utf8 {
            if byte > 0x20, byte < 0x7F {
                output.append(byte)
            } else {
                output.append(UInt8(ascii: "%"))
                output.append(contentsOf: [byte >> 4, byte & 15].map { $0 < 10 ? 0x30 + $0 : 0x37 + $0 })
            }
        }
        output.append(contentsOf: " HTTP/1.\(minorVersion)\r\n".utf8)
        fields.serialize(into: &output)
        output.append(contentsOf: "\r\n".utf8)
        return output
    }
}
