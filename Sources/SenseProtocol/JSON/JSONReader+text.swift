// Tokens: quoted text and numbers (RFC 8259 sections 6 and 7).
extension JSONReader {
    /// A quoted text, at most `maxBytes` of UTF-8.
    mutating func quoted(maxBytes: Int) throws(WireError) -> String {
        guard peekAfterSpace() == UInt8(ascii: "\"") else { throw syntax("a text in quotes") }
        let start = offset
        offset += 1
        var collected: [UInt8] = []
        var runStart = offset
        while true {
            guard offset < text.count else { throw syntax("a closing quote") }
            let byte = text[offset]
            if byte == UInt8(ascii: "\"") { break }
            if byte < 0x20 { throw syntax("no control character in a text") }
            if byte == UInt8(ascii: "\\") {
                collected += text[runStart..<offset]
                offset += 1
                let scalar = try escape()
                collected += Array(String(scalar).utf8)
                runStart = offset
            } else {
                offset += 1
            }
            if offset - start > 6 * maxBytes + 2 { break }
        }
        collected += text[runStart..<offset]
        if collected.count > maxBytes {
            throw WireError(
                .overLimit(.stringBytes, max: maxBytes, got: UInt64(collected.count)), offset: start)
        }
        offset += 1
        guard let result = String(validating: collected, as: UTF8.self) else {
            throw WireError(.invalidUTF8, offset: start)
        }
        return result
    }

    /// What follows a backslash.
    private mutating func escape() throws(WireError) -> Unicode.Scalar {
        guard offset < text.count else { throw syntax("an escape") }
        let byte = text[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let unit = try hexUnit()
            if let scalar = Unicode.Scalar(unit) { return scalar }
            guard unit < 0xdc00, offset + 1 < text.count, text[offset] == UInt8(ascii: "\\"),
                text[offset + 1] == UInt8(ascii: "u")
            else { throw syntax("a surrogate pair") }
            offset += 2
            let low = try hexUnit()
            guard (0xdc00..<0xe000).contains(low) else { throw syntax("a low surrogate") }
            let value = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)
            guard let scalar = Unicode.Scalar(value) else { throw syntax("a Unicode scalar") }
            return scalar
        default:
            offset -= 1
            throw syntax("an escape")
        }
    }

    private mutating func hexUnit() throws(WireError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard offset < text.count, let digit = Self.hexDigit(text[offset]) else {
                throw syntax("four hexadecimal digits")
            }
            value = value << 4 | digit
            offset += 1
        }
        return value
    }

    private static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// The characters of a number, bare.
    mutating func numberToken() throws(WireError) -> String {
        _ = peekAfterSpace()
        guard let end = Self.numberEnd(text, from: offset) else { throw syntax("a value") }
        let token = String(decoding: text[offset..<end], as: UTF8.self)
        offset = end
        return token
    }

    /// The characters of a number, bare or in quotes; nil (having consumed it) for a text that is not a number.
    mutating func numberTokenMaybeQuoted() throws(WireError) -> (token: String, isNumber: Bool) {
        switch peekAfterSpace() {
        case UInt8(ascii: "\""):
            let token = try quoted(maxBytes: 512)
            let bytes = Array(token.utf8)
            return (token, Self.numberEnd(bytes, from: 0) == bytes.count)
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            return (try numberToken(), true)
        default:
            throw WireError(.wrongJSONValue(expected: "a number"), offset: offset)
        }
    }

    /// One past a number that starts at `start`, or nil if there is none (RFC 8259 section 6).
    private static func numberEnd(_ bytes: [UInt8], from start: Int) -> Int? {
        var index = start
        func digits() -> Bool {
            let first = index
            while index < bytes.count, (0x30...0x39).contains(bytes[index]) { index += 1 }
            return index > first
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: "-") { index += 1 }
        let integerStart = index
        guard digits() else { return nil }
        if bytes[integerStart] == 0x30, index > integerStart + 1 { return nil }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard digits() else { return nil }
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
                index += 1
            }
            guard digits() else { return nil }
        }
        return index
    }
}
