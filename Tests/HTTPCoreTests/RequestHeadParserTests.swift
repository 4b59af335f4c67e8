import HTTPCore
import TestSupport
import Testing

/// What a feed of a parser gives: a head or a refusal.
enum Parsed: Equatable {
    case head(method: HTTPMethod, target: String, host: String?, fields: Int)
    case refused(HTTPError)
}

func requestFeed(
    _ limits: HTTPLimits = HTTPLimits(), methods: Set<HTTPMethod> = [.get, .head]
) -> ([UInt8]) -> [Parsed] {
    var parser = RequestHeadParser(limits: limits, methods: methods)
    var isRefused = false
    return { bytes in
        var position = 0
        var outputs: [Parsed] = []
        while !isRefused {
            do throws(HTTPError) {
                guard let head = try parser.next(bytes.span, at: &position) else { break }
                outputs.append(
                    .head(
                        method: head.method, target: head.target, host: head.host,
                        fields: head.fields.all.count))
            } catch {
                isRefused = true
                outputs.append(.refused(error))
            }
        }
        return outputs
    }
}

func parse(
    _ text: String, _ limits: HTTPLimits = HTTPLimits(), methods: Set<HTTPMethod> = [.get, .head]
) -> [Parsed] {
    requestFeed(limits, methods: methods)(Array(text.utf8))
}

@Suite struct RequestHeadParserTests {
    @Test func everyCuttingGivesTheSameHeads() {
        let samples: [(input: [UInt8], outputs: [Parsed])] = [
            (
                Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8),
                [.head(method: .get, target: "/", host: "a", fields: 1)]
            ),
            (
                Array(
                    "\r\nGET /v1?x=1 HTTP/1.1\r\nHost:\t[::1]:8443 \r\nX-Y:\r\nUser-Agent: a b\r\n\r\n".utf8),
                [.head(method: .get, target: "/v1?x=1", host: "[::1]:8443", fields: 3)]
            ),
            (
                Array(
                    "HEAD http://Example.org HTTP/1.1\r\nhost: example.org\r\nContent-Length: 0\r\n\r\n".utf8),
                [.head(method: .head, target: "/", host: "example.org", fields: 2)]
            ),
            (
                Array("GET /health HTTP/1.0\r\n\r\n".utf8),
                [.head(method: .get, target: "/health", host: nil, fields: 0)]
            ),
        ]
        let mismatches = DecoderVerifier(samples: samples, makeFeed: { requestFeed() }).mismatches()
        #expect(mismatches.isEmpty)
    }
}
