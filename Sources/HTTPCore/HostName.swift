/// `host[":" port]` of RFC 9110 section 7.2, checked by shape; no name is resolved.
enum HostName {
    /// Whether `text` is a registered name, an IPv4 address or a bracketed IPv6 address with an optional port.
    static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let hostEnd: Int
        if bytes.first == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")), close > 1,
                bytes[1..<close].allSatisfy({
                    isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
                })
            else { return false }
            hostEnd = close + 1
        } else {
            hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
            guard hostEnd > 0, bytes[..<hostEnd].allSatisfy(isNameByte) else { return false }
        }
        guard hostEnd < bytes.count else { return true }
        guard bytes[hostEnd] == UInt8(ascii: ":"),
            let port = ASCII.decimal(bytes[(hostEnd + 1)...], maxDigits: 5)
        else { return false }
        return port <= 65535
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// Letters, digits, `-`, `.` and `_`: what names in use have. Percent-encoding and sub-delimiters are
    /// legal in RFC 3986, occur in attacks only, and are refused.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
