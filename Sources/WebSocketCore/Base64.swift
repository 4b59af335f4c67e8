/// Base64 with padding (RFC 4648 section 4), for the handshake's key and its answer.
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= UInt32(8 * (3 - group.count))
            for index in 0..<4 {
                let digit = alphabet[Int(bits >> UInt32(18 - 6 * index) & 0x3F)]
                text.append(index <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether `text` encodes exactly 16 bytes: 22 digits and `==`. The four spare bits of the last digit are
    /// not looked at: clients are known to fill them (RFC 4648 section 3.5 lets a decoder choose).
    static func encodesSixteenBytes(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 24 && bytes[22] == UInt8(ascii: "=") && bytes[23] == UInt8(ascii: "=")
            && bytes[..<22].allSatisfy(alphabet.contains)
    }
}
