// Memory kernel (the ASCII run). Invariant: loads stay below the count of the span they come from.

/// Checks UTF-8 (RFC 3629) as it arrives, in any cutting, and fails at the first byte after which no valid
/// text can follow: overlong forms, surrogates and code points above U+10FFFF at their second byte.
public struct UTF8Validator: Equatable, Sendable {
    /// Continuation bytes still due.
    private var due: UInt8 = 0
    /// Range of the next continuation byte; narrower than 80...BF only for the second byte of some.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// At the start of a text.
    public init() {}

    /// Whether the bytes so far end at a code point's end.
    @inlinable public var isComplete: Bool { isBetweenCodePoints }

    @usableFromInline var isBetweenCodePoints: Bool { due == 0 }

    /// Takes the next bytes.
    ///
    /// - Returns: false as soon as a byte cannot belong to valid text; the validator must then not be used.
    public mutating func consume(_ bytes: Span<UInt8>) -> Bool {
        consume(bytes, from: 0)
    }

    /// As `consume`, from index `start` on.
    mutating func consume(_ bytes: Span<UInt8>, from start: Int) -> Bool {
        var index = start
        let count = bytes.count
        while index < count {
            if due == 0 {
                index = Self.endOfASCII(bytes, from: index)
                if index >= count { return true }
            }
            if !accept(bytes[index]) { return false }
            index += 1
        }
        return true
    }

    private mutating func accept(_ byte: UInt8) -> Bool {
        if due > 0 {
            guard byte >= lowest, byte <= highest else { return false }
            due -= 1
            lowest = 0x80
            highest = 0xBF
            return true
        }
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: due = 1
        case 0xE0: (due, lowest) = (2, 0xA0)
        case 0xED: (due, highest) = (2, 0x9F)
        case 0xE1...0xEF: due = 2
        case 0xF0: (due, lowest) = (3, 0x90)
        case 0xF4: (due, highest) = (3, 0x8F)
        case 0xF1...0xF3: due = 3
        default: return false
        }
        return true
    }

    /// Index of the first byte at or after `start` that is not ASCII, or the count.
    private static func endOfASCII(_ bytes: Span<UInt8>, from start: Int) -> Int {
        unsafe bytes.withUnsafeBytes { raw in
            var index = start
            while index &+ 8 <= raw.count {
                let word = unsafe raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if word & 0x8080_8080_8080_8080 != 0 { break }
                index &+= 8
            }
            while index < raw.count, unsafe raw[index] < 0x80 { index &+= 1 }
            return index
        }
    }
}
