internal import HTTPCore

/// Sec-WebSocket-Extensions (RFC 6455 section 9.1): names with parameters, in order of preference.
struct ExtensionList: Equatable {
    struct Parameter: Equatable {
        let name: String
        let value: String?
    }

    struct Member: Equatable {
        let name: String
        let parameters: [Parameter]
    }

    private(set) var members: [Member] = []

    /// Reads all lines of the field.
    init(_ values: [String]) throws(HandshakeError) {
        for value in values {
            for part in try Self.split(Array(value.utf8)[...], at: UInt8(ascii: ",")) {
                // Empty list members are allowed (RFC 9110 section 5.6.1.2).
                if ASCII.trimmed(part).isEmpty { continue }
                members.append(try Self.member(part))
            }
        }
    }

    private static func member(_ bytes: ArraySlice<UInt8>) throws(HandshakeError) -> Member {
        let parts = try split(bytes, at: UInt8(ascii: ";")).map { ASCII.trimmed($0) }
        guard let name = parts.first, ASCII.isToken(name) else { throw .malformedExtensions }
        var parameters: [Parameter] = []
        for part in parts.dropFirst() {
            let sign = part.firstIndex(of: UInt8(ascii: "="))
            let name = ASCII.trimmed(part[..<(sign ?? part.endIndex)])
            guard ASCII.isToken(name) else { throw .malformedExtensions }
            var value: String?
            if let sign {
                var bytes = ASCII.trimmed(part[(sign + 1)...])
                if bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") {
                    bytes = bytes.dropFirst().dropLast()
                }
                // A quoted value must be a token once unquoted (RFC 6455 section 9.1).
                guard ASCII.isToken(bytes) else { throw .malformedExtensions }
                value = String(decoding: bytes, as: UTF8.self)
            }
            parameters.append(
                Parameter(name: String(decoding: name, as: UTF8.self).lowercased(), value: value))
        }
        return Member(name: String(decoding: name, as: UTF8.self).lowercased(), parameters: parameters)
    }

    /// Splits outside of quotes.
    private static func split(
        _ bytes: ArraySlice<UInt8>, at separator: UInt8
    ) throws(HandshakeError) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        var isQuoted = false
        for index in bytes.indices {
            if bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
            if bytes[index] == separator, !isQuoted {
                parts.append(bytes[start..<index])
                start = index + 1
            }
        }
        if isQuoted { throw .malformedExtensions }
        parts.append(bytes[start...])
        return parts
    }
}
