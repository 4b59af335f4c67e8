/// SHA-256 of a certificate in DER form: what a person compares and a client pins.
public struct CertificateFingerprint: Hashable, Sendable, CustomStringConvertible {
    /// 32 bytes.
    public let bytes: [UInt8]

    init(digest: [UInt8]) { bytes = digest }

    /// Reads 64 hex digits, with or without colons or spaces between them; nil for anything else.
    public init?(_ text: String) {
        var digits: [UInt8] = []
        for character in text.utf8 where character != UInt8(ascii: ":") && character != UInt8(ascii: " ") {
            guard let digit = Character(UnicodeScalar(character)).hexDigitValue else { return nil }
            digits.append(UInt8(digit))
        }
        guard digits.count == 2 * SHA256.byteCount else { return nil }
        bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// 64 lower-case hex digits, the form to store.
    public var hex: String { Self.hex(bytes, separator: "") }

    /// `AB:CD:…`, the form other tools print.
    public var description: String { Self.hex(bytes, separator: ":").uppercased() }

    private static func hex(_ bytes: [UInt8], separator: String) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: separator)
    }
}
