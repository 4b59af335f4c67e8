/// Bytes that wait for the socket, first in first out, in one array with a read position.
struct PendingWrites {
    /// Below this it is cheaper to let sent bytes lie in front than to move the rest.
    private static let compactionBytes = 64 * 1024

    /// Sent bytes, then unsent ones. Append here; never remove.
    var bytes: [UInt8]
    private var sent = 0

    init(buffer: consuming [UInt8] = []) { bytes = buffer }

    /// How many bytes are unsent.
    var count: Int { bytes.count - sent }
    /// Whether nothing waits.
    var isEmpty: Bool { bytes.count == sent }

    /// Offers all unsent bytes to the socket once and returns how many it took.
    mutating func send(to descriptor: Int32) throws(SystemError) -> Int {
        switch try Syscalls.send(descriptor, bytes.span.extracting(droppingFirst: sent)) {
        case .done(let count):
            consume(count)
            return count
        case .wouldBlock: return 0
        }
    }

    /// Marks bytes at the front as sent.
    mutating func consume(_ count: Int) {
        precondition(count >= 0 && count <= self.count)
        sent += count
        if sent == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            sent = 0
        } else if sent >= Self.compactionBytes, sent > bytes.count / 2 {
            bytes.removeSubrange(..<sent)
            sent = 0
        }
    }

    /// Takes the array out, emptied of nothing: only called when `isEmpty`, to return it to a pool.
    mutating func takeBuffer() -> [UInt8] {
        var buffer: [UInt8] = []
        swap(&buffer, &bytes)
        sent = 0
        return buffer
    }
}
