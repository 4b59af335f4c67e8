/// Writes canonical protobuf JSON: lowerCamelCase names, 64-bit integers as text, enum values by name, bytes in
/// base64, NaN and infinities as text, absent and default fields left out.
public struct JSONWriter: Sendable {
    /// The UTF-8 text so far.
    public private(set) var text: [UInt8] = []
    private var needsComma = false

    /// Begins one member of the current object.
    mutating func key(_ name: String) {
        separate()
        quote(name)
        text.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func message(_ value: some WireMessage) {
        open(UInt8(ascii: "{"))
        value.encodeJSONFields(into: &self)
        close(UInt8(ascii: "}"))
    }

    mutating func array<T>(_ values: [T], _ write: (inout JSONWriter, T) -> Void) {
        open(UInt8(ascii: "["))
        for value in values { write(&self, value) }
        close(UInt8(ascii: "]"))
    }

    /// Entries in the given order.
    mutating func map<Key, Value>(
        _ entries: [(key: Key, value: Value)], key: (Key) -> String,
        _ write: (inout JSONWriter, Value) -> Void
    ) {
        open(UInt8(ascii: "{"))
        for entry in entries {
            self.key(key(entry.key))
            write(&self, entry.value)
        }
        close(UInt8(ascii: "}"))
    }

    mutating func number(_ value: some FixedWidthInteger) { plain(String(value)) }
    mutating func quotedNumber(_ value: some FixedWidthInteger) { plain("\"\(value)\"") }
    mutating func bool(_ value: Bool) { plain(value ? "true" : "false") }

    mutating func number<T: BinaryFloatingPoint & LosslessStringConvertible>(floating value: T) {
        if value.isNaN {
            plain("\"NaN\"")
        } else if value.isInfinite {
            plain(value > 0 ? "\"Infinity\"" : "\"-Infinity\"")
        } else if T.self == Float.self && value.magnitude == T.greatestFiniteMagnitude {
            // The shortest spelling, 3.4028235e+38, lies above the value itself, and Python's protobuf refuses it.
            plain(String(Double(value)))
        } else {
            plain(String(value))
        }
    }

    mutating func string(_ value: String) {
        separate()
        quote(value)
    }

    mutating func bytes(_ value: [UInt8]) {
        separate()
        text.append(UInt8(ascii: "\""))
        Base64.append(value, to: &text)
        text.append(UInt8(ascii: "\""))
    }

    mutating func enumeration(_ value: some WireEnum) {
        if let name = value.protoName { string(name) } else { number(value.rawValue) }
    }

    private mutating func separate() {
        if needsComma { text.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func plain(_ token: String) {
        separate()
        text.append(contentsOf: token.utf8)
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        text.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        text.append(bracket)
        needsComma = true
    }

    private mutating func quote(_ value: String) {
        let hex = Array("0123456789abcdef".utf8)
        text.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0x0a: text += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case 0x0d: text += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
            case 0x09: text += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
            case 0..<0x20:
                text += Array("\\u00".utf8) + [hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
