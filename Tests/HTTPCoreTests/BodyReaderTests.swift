import HTTPCore
import TestSupport
import Testing

@Suite struct BodyReaderTests {
    @Test func aHeadAndItsBodyComeOutOfEveryCutting() {
        let text = "POST /api HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
        let mismatches = DecoderVerifier(
            samples: [(Array(text.utf8), ["hello"]), (Array(text.utf8), ["hello"])]
        ) {
            var parser = RequestHeadParser(limits: HTTPLimits(maxBodyBytes: 5), methods: [.post])
            var body: BodyReader?
            return { bytes in
                var bodies: [String] = []
                var position = 0
                while position < bytes.count {
                    if body == nil, let head = try? parser.next(bytes.span, at: &position) {
                        body = BodyReader(contentLength: head.contentLength)
                    }
                    if let complete = body?.next(bytes.span, at: &position) {
                        bodies.append(String(decoding: complete, as: UTF8.self))
                        body = nil
                    }
                }
                return bodies
            }
        }.mismatches()
        #expect(mismatches.isEmpty)
    }

    @Test func anEmptyBodyIsCompleteAtOnce() {
        var reader = BodyReader(contentLength: 0)
        var position = 0
        let nothing: [UInt8] = []
        let body = reader.next(nothing.span, at: &position)
        #expect(body == [] && position == 0)
    }
}
