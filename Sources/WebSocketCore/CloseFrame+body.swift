extension CloseFrame {
    /// Reads a close frame's payload (RFC 6455 section 5.5.1).
    init(body: [UInt8]) throws(WebSocketError) {
        guard let high = body.first else {
            self.init(code: nil)
            return
        }
        guard body.count >= 2 else { throw .truncatedCloseBody }
        let code = CloseCode(rawValue: UInt16(high) << 8 | UInt16(body[1]))
        guard code.mayAppearOnWire else { throw .invalidCloseCode(code.rawValue) }
        var validator = UTF8Validator()
        guard validator.consume(body.span, from: 2), validator.isComplete else { throw .invalidCloseReason }
        self.init(code: code, reason: String(decoding: body[2...], as: UTF8.self))
    }

    /// The payload; a reason is cut to 123 bytes at a character's end, and left out without a code.
    var body: [UInt8] {
        guard let code else { return [] }
        var body = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
        for character in reason {
            guard body.count + character.utf8.count <= 125 else { break }
            body.append(contentsOf: character.utf8)
        }
        return body
    }
}
