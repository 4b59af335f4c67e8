import HTTPCore
import TestSupport
import Testing

/// Faults that users of other HTTP stacks reported, each provoked here.
@Suite struct HTTPFaultTests {
    static let host = "Host: a\r\n"

    /// What two parsers might read differently, and the status it gets.
    static let refused: [(text: String, error: HTTPError, status: Int)] = [
        ("GET / HTTP/1.1\r\n\(host)Content-Length: 5\r\n\r\nhello", .unexpectedBody, 400),
        ("GET / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n", .unexpectedBody, 400),
        ("GET / HTTP/1.1\r\n\(host)Content-Length: +0\r\n\r\n", .invalidContentLength, 400),
        ("GET / HTTP/1.1\r\n\(host)Content-Length: 0, 0\r\n\r\n", .invalidContentLength, 400),
        (
            "GET / HTTP/1.1\r\n\(host)Content-Length: 0\r\nContent-Length: 0\r\n\r\n", .invalidContentLength,
            400
        ),
        (
            "GET / HTTP/1.1\r\n\(host)Content-Length: 99999999999999999999999\r\n\r\n", .invalidContentLength,
            400
        ),
        ("GET / HTTP/1.1\r\n\(host)X: a\r\n b\r\n\r\n", .foldedField, 400),
        ("GET / HTTP/1.1\r\n\(host)X: a\r\n\tb\r\n\r\n", .foldedField, 400),
        ("GET / HTTP/1.1\r\n \(host)\r\n", .foldedField, 400),
        ("GET / HTTP/1.1\nHost: a\r\n\r\n", .bareLineFeed, 400),
        ("GET / HTTP/1.1\r\nHost: a\n\r\n", .bareLineFeed, 400),
        ("GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", .bareCarriageReturn, 400),
        ("GET / HTTP/1.1\r\nHost: a\r\r\n\r\n", .bareCarriageReturn, 400),
        ("GET / HTTP/1.1\r\n\(host)X: a\0b\r\n\r\n", .controlByte(0), 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", .repeatedHost, 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nHOST: a\r\n\r\n", .repeatedHost, 400),
        ("GET / HTTP/1.1\r\n\r\n", .missingHost, 400),
        ("GET / HTTP/1.1\r\nHost:\r\n\r\n", .invalidHost, 400),
        ("GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", .invalidHost, 400),
        ("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", .invalidHost, 400),
        ("GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n", .invalidHost, 400),
        ("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", .invalidHost, 400),
        ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .invalidFieldName, 400),
        ("GET / HTTP/1.1\r\n\(host)X\r\n\r\n", .invalidFieldName, 400),
        ("GET / HTTP/1.1\r\n\(host): x\r\n\r\n", .invalidFieldName, 400),
        ("GET / HTTP/1.1\r\n\(host)X(: x\r\n\r\n", .invalidFieldName, 400),
        ("GET /  HTTP/1.1\r\n\(host)\r\n", .malformedStartLine, 400),
        ("GET / HTTP/1.1 \r\n\(host)\r\n", .malformedStartLine, 400),
        (" GET / HTTP/1.1\r\n\(host)\r\n", .malformedStartLine, 400),
        ("GET /\r\n\(host)\r\n", .malformedStartLine, 400),
        ("GET / http/1.1\r\n\(host)\r\n", .malformedStartLine, 400),
        ("G(T / HTTP/1.1\r\n\(host)\r\n", .malformedStartLine, 400),
        ("GET / HTTP/1.2\r\n\(host)\r\n", .unsupportedVersion, 505),
        ("PRI * HTTP/2.0\r\n\r\n", .unsupportedVersion, 505),
        ("BREW / HTTP/1.1\r\n\(host)\r\n", .unknownMethod, 501),
        ("get / HTTP/1.1\r\n\(host)\r\n", .unknownMethod, 501),
        ("POST / HTTP/1.1\r\n\(host)\r\n", .methodNotAllowed(.post), 405),
        ("CONNECT a:443 HTTP/1.1\r\n\(host)\r\n", .methodNotAllowed(.connect), 405),
        ("GET a HTTP/1.1\r\n\(host)\r\n", .invalidTarget, 400),
        ("GET * HTTP/1.1\r\n\(host)\r\n", .invalidTarget, 400),
        ("GET /#x HTTP/1.1\r\n\(host)\r\n", .invalidTarget, 400),
        ("GET /é HTTP/1.1\r\n\(host)\r\n", .invalidTarget, 400),
        ("GET http://b/ HTTP/1.1\r\n\(host)\r\n", .invalidTarget, 400),
        ("GET http://u@a/ HTTP/1.1\r\n\(host)\r\n", .invalidTarget, 400),
        ("GET ftp://a/ HTTP/1.1\r\n\(host)\r\n", .invalidTarget, 400),
    ]

    @Test func fault24_shapesOfRequestSmugglingAreRefusedAndClosed() {
        for (text, error, status) in Self.refused {
            #expect(parse(text) == [.refused(error)], "\(text)")
            #expect(error.status.code == status)
            var bytes: [UInt8] = []
            error.response.serialize(into: &bytes)
            #expect(String(decoding: bytes, as: UTF8.self).contains("\r\nconnection: close\r\n"))
            let mismatches = DecoderVerifier(
                samples: [(Array(text.utf8), [Parsed.refused(error)])], randomDeliveries: 3,
                makeFeed: { requestFeed() }
            ).mismatches()
            #expect(mismatches.isEmpty)
        }
    }

    @Test func fault24_aBodyIsAcceptedOnlyWhereItsLengthIsCertain() {
        let post: Set<HTTPMethod> = [.post]
        let limits = HTTPLimits(maxBodyBytes: 100)
        let head = "POST /api HTTP/1.1\r\n\(Self.host)"
        #expect(
            parse(head + "Content-Length: 100\r\n\r\n", limits, methods: post)
                == [.head(method: .post, target: "/api", host: "a", fields: 2)])
        #expect(parse(head + "\r\n", limits, methods: post) == [.refused(.missingContentLength)])
        #expect(
            parse(head + "Content-Length: 101\r\n\r\n", limits, methods: post)
                == [.refused(.bodyTooBig(bytes: 101, limit: 100))])
        #expect(
            parse(head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", limits, methods: post)
                == [.refused(.transferEncoding)])
    }

    /// Each kind of flood stops at its limit, after no more bytes than the limit says.
    @Test(arguments: [1, 7, 4096]) func fault07_floodsStopAtTheirLimits(_ pieceBytes: Int) {
        let start = "GET / HTTP/1.1\r\n\(Self.host)"
        let floods: [(text: String, error: HTTPError, status: Int)] = [
            (
                "GET /" + String(repeating: "a", count: 1 << 20), .startLineTooLong(limit: 8192), 414
            ),
            (
                start + "X: " + String(repeating: "a", count: 1 << 20), .fieldTooLong(limit: 8192), 431
            ),
            (
                start + String(repeating: "a:b\r\n", count: 100_000), .tooManyFields(limit: 64), 431
            ),
            (
                start + String(repeating: "X: \(String(repeating: "a", count: 1000))\r\n", count: 60),
                .headTooLarge(limit: 16384), 431
            ),
            (String(repeating: "\r\n", count: 100_000), .headTooLarge(limit: 16384), 431),
        ]
        for (text, error, status) in floods {
            let bytes = Array(text.utf8)
            let feed = requestFeed()
            var fed = 0
            var outputs: [Parsed] = []
            while fed < bytes.count, outputs.isEmpty {
                let end = min(bytes.count, fed + pieceBytes)
                outputs = feed(Array(bytes[fed..<end]))
                fed = end
            }
            #expect(outputs == [.refused(error)])
            #expect(error.status.code == status)
            #expect(fed <= 16385 + pieceBytes)
        }
    }

    @Test func fault08_anIdleConnectionAndAHalfRequestAreToldApart() throws {
        var parser = RequestHeadParser()
        #expect(parser.isEmpty)
        var position = 0
        let half = Array("GET / HT".utf8)
        let head = try parser.next(half.span, at: &position)
        #expect(head == nil && !parser.isEmpty)
    }

    @Test func arbitraryBytesNeverTrap() {
        let alphabet = Array("GET /HTTP1.:\r\n\t a0,;=\"é\0".utf8)
        for seed in 0..<500 as Range<UInt64> {
            var random = SeededBytes(seed: seed)
            let bytes = (0..<300).map { _ in alphabet[random.int(in: 0...(alphabet.count - 1))] }
            let feed = requestFeed(HTTPLimits(maxHeadBytes: 200, maxLineBytes: 50, maxFields: 3))
            _ = feed(Array("GET / HTTP/1.1\r\n".utf8) + bytes)
            _ = requestFeed()(bytes)
        }
    }
}
