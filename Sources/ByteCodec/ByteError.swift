/// Why bytes could not be read. Every case carries the offset, from 0 at the start of the reader's input.
public enum ByteError: Error, Equatable, Sendable {
    /// Fewer than `needed` bytes are left before the end of the input or of the current window.
    case truncated(offset: Int, needed: Int, available: Int)
    /// A varint runs past ten bytes or past 64 bits.
    case overlongVarint(offset: Int)
    /// A declared length exceeds the limit its reader was given; refused before anything is allocated.
    case overLimit(offset: Int, limit: Int, got: UInt64)
    /// A negative count was asked for.
    case negativeCount(offset: Int, got: Int)
}
