/// A cursor over bytes that never reads past its end and never traps on what they say.
///
/// A value type; the bytes are shared with the array it was made from, not copied. Every read advances `offset` only
/// when it succeeds. `narrow` and `widen` confine reading to one length-delimited part.
public struct ByteReader: Sendable {
    @usableFromInline let storage: [UInt8]

    /// Index of the next byte in the input.
    public internal(set) var offset: Int {
        @inlinable get { position }
        @inlinable set { position = newValue }
    }
    @usableFromInline var position: Int

    /// One past the last byte that may be read now.
    @inlinable public var end: Int { limit }
    @usableFromInline var limit: Int

    /// Reads all of `bytes`.
    @inlinable
    public init(_ bytes: [UInt8]) {
        storage = bytes
        position = 0
        limit = bytes.count
    }

    /// Reads a copy of `slice`; offsets count from its start.
    @inlinable
    public init(_ slice: ArraySlice<UInt8>) { self.init(Array(slice)) }

    /// Bytes left in the current window.
    @inlinable public var remaining: Int { limit &- position }

    /// Whether the current window is used up.
    @inlinable public var isAtEnd: Bool { position >= limit }

    /// The next byte without consuming it, or nil at the end.
    @inlinable public var peek: UInt8? { position < limit ? storage[position] : nil }

    /// Throws unless `count` bytes are left.
    @inlinable
    public func require(_ count: Int) throws(ByteError) {
        if count < 0 { throw .negativeCount(offset: position, got: count) }
        if count > limit &- position {
            throw .truncated(offset: position, needed: count, available: limit &- position)
        }
    }

    /// One byte.
    @inlinable
    public mutating func readByte() throws(ByteError) -> UInt8 {
        guard position < limit else { throw .truncated(offset: position, needed: 1, available: 0) }
        let byte = storage[position]
        position &+= 1
        return byte
    }

    /// A fixed-width integer in the stated byte order.
    @inlinable
    public mutating func readInteger<T: FixedWidthInteger>(
        _ type: T.Type = T.self, _ order: ByteOrder
    ) throws(ByteError) -> T {
        let size = T.bitWidth / 8
        try require(size)
        var value: T = 0
        for index in 0..<size {
            let byte = T(truncatingIfNeeded: storage[position &+ index])
            let shift = order == .little ? index : size &- 1 &- index
            value |= byte << T(truncatingIfNeeded: 8 &* shift)
        }
        position &+= size
        return value
    }

    /// The next `count` bytes, as a copy.
    @inlinable
    public mutating func readBytes(_ count: Int) throws(ByteError) -> [UInt8] {
        try require(count)
        let start = position
        position &+= count
        return Array(storage[start..<position])
    }

    /// The next `count` bytes, sharing the storage.
    @inlinable
    public mutating func readSlice(_ count: Int) throws(ByteError) -> ArraySlice<UInt8> {
        try require(count)
        let start = position
        position &+= count
        return storage[start..<position]
    }

    /// Skips `count` bytes.
    @inlinable
    public mutating func skip(_ count: Int) throws(ByteError) {
        try require(count)
        position &+= count
    }

    /// Confines reading to the next `count` bytes. Returns the former end; give it to `widen` afterwards.
    @inlinable
    public mutating func narrow(to count: Int) throws(ByteError) -> Int {
        try require(count)
        let outer = limit
        limit = position &+ count
        return outer
    }

    /// Ends a window begun by `narrow`. An end outside the input is clamped to it.
    @inlinable
    public mutating func widen(to outerEnd: Int) {
        limit = min(max(outerEnd, position), storage.count)
    }

    /// Moves back or forward to `offset` within the current window's end; used to retry after incomplete input.
    /// Values outside the input are clamped.
    @inlinable
    public mutating func move(to offset: Int) { position = min(max(offset, 0), limit) }
}
