import TestSupport
import Testing

@testable import Net

@Suite struct PendingWritesTests {
    @Test func keepsOrderWhateverTheCuts() {
        var bytes = SeededBytes(seed: 3)
        var pending = PendingWrites()
        var written: [UInt8] = []
        var read: [UInt8] = []
        for _ in 0..<2000 {
            let piece = bytes.bytes(bytes.int(in: 0...255) * 8)
            pending.bytes += piece
            written += piece
            let take = min(pending.count, bytes.int(in: 0...255) * 9)
            read += pending.bytes[(pending.bytes.count - pending.count)...].prefix(take)
            pending.consume(take)
        }
        read += pending.bytes[(pending.bytes.count - pending.count)...]
        #expect(read == written)
    }

    @Test func sentBytesDoNotPileUp() {
        var pending = PendingWrites()
        for _ in 0..<10_000 {
            pending.bytes += [UInt8](repeating: 1, count: 1000)
            pending.consume(pending.count - 10)
        }
        #expect(pending.count <= 1010)
        #expect(pending.bytes.count < 256 * 1024)
    }
}
