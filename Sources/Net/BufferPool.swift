/// Empty output buffers that keep their memory, shared by the connections of one loop: a connection holds a
/// buffer only while it has bytes to send, so an idle one holds none.
///
/// Isolation: its loop.
struct BufferPool {
    /// More buffers than connections that are blocked at once are of no use; 32 × 64 KiB is 2 MiB a loop at most.
    private static let keptBuffers = 32
    /// A buffer that grew beyond this (one huge message) is freed rather than kept.
    private static let keptBufferBytes = 64 * 1024
    /// Holds a few small frames without growing.
    private static let initialBytes = 4096

    private var buffers: [[UInt8]] = []

    mutating func take() -> [UInt8] {
        if let buffer = buffers.popLast() { return buffer }
        var buffer: [UInt8] = []
        buffer.reserveCapacity(Self.initialBytes)
        return buffer
    }

    mutating func give(_ buffer: consuming [UInt8]) {
        guard buffers.count < Self.keptBuffers, buffer.capacity <= Self.keptBufferBytes, buffer.capacity > 0
        else { return }
        buffer.removeAll(keepingCapacity: true)
        buffers.append(buffer)
    }
}
