import TestSupport
import Testing
import WebSocketCore

@Suite struct FrameDecoderTests {
    enum Read: Equatable {
        case header(FrameHeader)
        case refused(WebSocketError)
    }

    /// Headers only: payload bytes are skipped as the owner would.
    static func feed(expectsMask: Bool = true, allowsCompression: Bool = false) -> ([UInt8]) -> [Read] {
        var decoder = FrameDecoder(expectsMask: expectsMask, allowsCompression: allowsCompression)
        var skip = 0
        var isRefused = false
        return { bytes in
            var position = 0
            var reads: [Read] = []
            while !isRefused {
                let skipped = min(skip, bytes.count - position)
                position += skipped
                skip -= skipped
                if skip > 0 { break }
                do throws(WebSocketError) {
                    guard let header = try decoder.next(bytes.span, at: &position) else { break }
                    reads.append(.header(header))
                    skip = header.payloadBytes
                } catch {
                    isRefused = true
                    reads.append(.refused(error))
                }
            }
            return reads
        }
    }

    @Test func headersOfEveryLengthFormInEveryCutting() {
        func samples(_ counts: [Int], headerOnly: Bool) -> [(input: [UInt8], outputs: [Read])] {
            counts.map { count in
                let bytes = Wire(first: 0x82, payload: [UInt8](repeating: 7, count: count)).bytes
                let header = FrameHeader(opcode: .binary, payloadBytes: count, maskKey: 0x3D21_FA37)
                return (headerOnly ? Array(bytes.dropLast(count)) : bytes, [.header(header)])
            }
        }
        let whole = DecoderVerifier(samples: samples([0, 125, 126, 300], headerOnly: false)) { Self.feed() }
        #expect(whole.mismatches().isEmpty)
        let headers = DecoderVerifier(
            samples: samples([65535, 65536], headerOnly: true), joins: false, makeFeed: { Self.feed() })
        #expect(headers.mismatches().isEmpty)
    }

    @Test func clientReadsUnmaskedFrames() {
        let feed = Self.feed(expectsMask: false)
        #expect(
            feed(Wire.fromServer(0x01, [1, 2]))
                == [.header(FrameHeader(isFinal: false, opcode: .text, payloadBytes: 2))])
    }

    /// Each bad header, with the fewest bytes that show it.
    static let bad: [(bytes: [UInt8], error: WebSocketError)] = [
        ([0x83, 0x80], .reservedOpcode(3)), ([0x87, 0x80], .reservedOpcode(7)),
        ([0x8B, 0x80], .reservedOpcode(11)), ([0x8F, 0x80], .reservedOpcode(15)),
        ([0xC1, 0x80], .reservedBits(4)), ([0xA1, 0x80], .reservedBits(2)), ([0x91, 0x80], .reservedBits(1)),
        ([0xF1, 0x80], .reservedBits(7)), ([0x81, 0x05], .unmaskedClientFrame),
        ([0x09, 0x80], .fragmentedControlFrame(.ping)), ([0x08, 0x80], .fragmentedControlFrame(.close)),
        ([0x89, 0xFE], .longControlFrame(.ping)), ([0x88, 0xFF], .longControlFrame(.close)),
        ([0x82, 0xFE, 0, 125], .lengthNotMinimal(125)),
        ([0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .lengthNotMinimal(65535)),
        ([0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], .lengthOutOfRange(1 << 63)),
    ]

    @Test(arguments: bad) func badHeadersAreRefusedAtTheByteThatShowsThem(
        _ sample: (bytes: [UInt8], error: WebSocketError)
    ) {
        let feed = Self.feed()
        for byte in sample.bytes.dropLast() { #expect(feed([byte]).isEmpty) }
        #expect(feed(Array(sample.bytes.suffix(1))) == [.refused(sample.error)])
        let whole = Self.feed()
        #expect(whole(sample.bytes + [1, 2, 3, 4]) == [.refused(sample.error)])
    }

    @Test func reservedBitOneIsForFirstFramesOfAgreedCompressionOnly() {
        let compressed = Self.feed(allowsCompression: true)
        #expect(
            compressed([0xC1, 0x80, 0, 0, 0, 0])
                == [.header(FrameHeader(isCompressed: true, opcode: .text, payloadBytes: 0, maskKey: 0))])
        for first in [0xC0, 0xC8, 0xC9, 0xCA] as [UInt8] {
            let feed = Self.feed(allowsCompression: true)
            #expect(feed([first, 0x80]) == [.refused(.reservedBits(4))])
        }
    }

    @Test func serverFramesMustNotBeMasked() {
        let feed = Self.feed(expectsMask: false)
        #expect(feed([0x81, 0x80]) == [.refused(.maskedServerFrame)])
    }
}
