/// One field line of a head (RFC 9112 section 5).
enum FieldLine {
    /// Splits `name ":" OWS value OWS`; the name comes back in lower case.
    static func parse(_ line: ArraySlice<UInt8>) throws(HTTPError) -> (name: String, value: String) {
        if let first = line.first, first == 0x20 || first == 0x09 { throw .foldedField }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .invalidFieldName }
        let name = line[..<colon]
        guard ASCII.isToken(name) else { throw .invalidFieldName }
        let lowercase = name.lazy.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        let value = ASCII.trimmed(line[(colon + 1)...])
        return (String(decoding: lowercase, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
}
