import TestSupport
import Testing
import WebSocketCore

@Suite struct UTF8ValidatorTests {
    /// The standard library's verdict.
    static func isValid(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    static func verdict(_ pieces: [[UInt8]]) -> Bool {
        var validator = UTF8Validator()
        for piece in pieces where !validator.consume(piece.span) { return false }
        return validator.isComplete
    }

    @Test func agreesWithTheStandardLibraryOnEveryTwoByteSequence() {
        for first in 0...255 as ClosedRange<UInt8> {
            for second in 0...255 as ClosedRange<UInt8> {
                let bytes = [first, second]
                #expect(Self.verdict([bytes]) == Self.isValid(bytes))
            }
        }
    }

    @Test func agreesWithTheStandardLibraryOnEdgesOfLongerSequences() {
        let edges: [UInt8] = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xFF]
        for first in 0xE0...0xFF as ClosedRange<UInt8> {
            for second in edges {
                for third in edges {
                    for tail in [[], [0x80], [0xBF], [0x41]] as [[UInt8]] {
                        let bytes = [first, second, third] + tail
                        #expect(Self.verdict([bytes]) == Self.isValid(bytes))
                    }
                }
            }
        }
    }

    @Test func cutsDoNotMatter() {
        var random = SeededBytes(seed: 5)
        for _ in 0..<300 {
            var bytes = Array("κόσμε, a long run of ASCII and then 𝄞 € ß \u{10FFFF}\u{FFFF}".utf8)
            if Bool.random(using: &random) {
                bytes[random.int(in: 0...(bytes.count - 1))] = UInt8(random.int(in: 0...255))
            }
            #expect(Self.verdict(random.cut(bytes, maxPieceBytes: 6)) == Self.isValid(bytes))
        }
    }

    /// Autobahn 6.4: the verdict comes with the byte that decides it, not at the message's end.
    @Test(arguments: [
        ([0xC0], 1), ([0xE0, 0x9F], 2), ([0xED, 0xA0], 2), ([0xF4, 0x90], 2), ([0xF5], 1), ([0x80], 1),
        ([0xF0, 0x8F], 2), ([0xE2, 0x82, 0x41], 3), ([0x41, 0x42, 0xFE], 3),
    ]) func failsAtTheFirstByteAfterWhichNothingValidCanFollow(_ bytes: [UInt8], _ failing: Int) {
        var validator = UTF8Validator()
        for (index, byte) in bytes.enumerated() {
            let isTaken = validator.consume([byte].span)
            #expect(isTaken == (index + 1 < failing))
        }
    }

    @Test func anUnfinishedCodePointIsNotComplete() {
        var validator = UTF8Validator()
        _ = validator.consume([0xE2, 0x82].span)
        #expect(!validator.isComplete)
        _ = validator.consume([0xAC].span)
        #expect(validator.isComplete)
    }
}
