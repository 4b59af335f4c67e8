/// Collects a body whose length its head announced (RFC 9112 section 6.2); the parser has held that length
/// against `HTTPLimits.maxBodyBytes`. Memory follows the bytes received, not the length announced.
public struct BodyReader: Sendable {
    private let contentLength: Int
    private var body: [UInt8] = []

    /// - Parameter contentLength: `RequestHead.contentLength`; negative counts as 0.
    public init(contentLength: Int) {
        self.contentLength = max(0, contentLength)
    }

    /// The body once it is complete, nil while more is due. `position` moves past what was read, after the body
    /// to the first byte of what follows.
    public mutating func next(_ input: Span<UInt8>, at position: inout Int) -> [UInt8]? {
        let count = min(contentLength - body.count, input.count - position)
        let start = position
        body.append(addingCapacity: count) { target in
            for index in start..<(start + count) { target.append(input[index]) }
        }
        position += count
        guard body.count == contentLength else { return nil }
        return body
    }
}
