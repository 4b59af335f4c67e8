import TestSupport
import Testing
import WebSocketCore

@Suite struct MaskingTests {
    static func naive(_ bytes: ArraySlice<UInt8>, _ key: UInt32, _ phase: Int) -> [UInt8] {
        bytes.enumerated().map { $1 ^ UInt8(truncatingIfNeeded: key >> (8 * UInt32(($0 + phase) % 4))) }
    }

    @Test func equalsTheByteWiseRuleAtEveryAlignmentLengthAndPhase() {
        var random = SeededBytes(seed: 3)
        let bytes = random.bytes(80)
        for start in 0..<9 {
            for count in 0...(bytes.count - start) {
                let phase = random.int(in: 0...1000)
                let key = UInt32(truncatingIfNeeded: random.next())
                let expected = Self.naive(bytes[start..<(start + count)], key, phase)
                let masked = Masking.masked(bytes.span, from: start, count: count, key: key, phase: phase)
                #expect(masked == expected)
                var appended: [UInt8] = [1, 2, 3]
                Masking.append(bytes.span, from: start, count: count, key: key, phase: phase, to: &appended)
                #expect(appended == [1, 2, 3] + expected)
            }
        }
    }

    @Test func largePartsTakeTheirOwnPathWithTheSameResult() {
        var random = SeededBytes(seed: 4)
        let bytes = random.bytes(10_000)
        for count in [4095, 4096, 4097, 9999] {
            let masked = Masking.masked(bytes.span, from: 1, count: count, key: 0x0102_0304, phase: 3)
            #expect(masked == Self.naive(bytes[1..<(1 + count)], 0x0102_0304, 3))
        }
    }

    @Test func keyZeroCopies() {
        let copy = Masking.masked([1, 2, 3].span, from: 0, count: 3, key: 0)
        #expect(copy == [1, 2, 3])
    }
}
