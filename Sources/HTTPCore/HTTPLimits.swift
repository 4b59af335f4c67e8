/// What one request or response head may cost.
public struct HTTPLimits: Equatable, Sendable {
    /// All bytes of the head, the empty line included; above it 431. Default 16 KiB: browsers send about 1 KB,
    /// cookies of a shared host and a proxy's fields some KB more.
    public var maxHeadBytes: Int
    /// One line without its line end; above it 414 for the request line, 431 for a field. Default 8 KiB, the
    /// length RFC 9112 section 3 recommends to support for a request line.
    public var maxLineBytes: Int
    /// Field lines; above it 431. Default 64: browsers send about 20.
    public var maxFields: Int
    /// A body announced by Content-Length; above it 413. Default 0: only routes that read one raise it.
    public var maxBodyBytes: Int

    /// Limits; each at least 0.
    public init(
        maxHeadBytes: Int = 16 << 10, maxLineBytes: Int = 8 << 10, maxFields: Int = 64, maxBodyBytes: Int = 0
    ) {
        self.maxHeadBytes = max(0, maxHeadBytes)
        self.maxLineBytes = max(0, maxLineBytes)
        self.maxFields = max(0, maxFields)
        self.maxBodyBytes = max(0, maxBodyBytes)
    }
}
