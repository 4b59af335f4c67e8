import HTTPCore
import TestSupport
import Testing

@Suite struct HTTPResponseTests {
    static func bytes(_ response: HTTPResponse, includesBody: Bool = true) -> String {
        var output: [UInt8] = []
        response.serialize(into: &output, includesBody: includesBody)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func lengthAndConnectionAreWritten() {
        var response = HTTPResponse.text(.notFound, "nothing here")
        response.closesConnection = true
        #expect(
            Self.bytes(response)
                == "HTTP/1.1 404 Not Found\r\ncontent-type: text/plain; charset=utf-8\r\n"
                + "content-length: 13\r\nconnection: close\r\n\r\nnothing here\n")
        #expect(Self.bytes(response, includesBody: false).hasSuffix("\r\n\r\n"))
        #expect(Self.bytes(HTTPResponse(status: .noContent)) == "HTTP/1.1 204 No Content\r\n\r\n")
    }

    @Test func noValueCanStartAFieldOfItsOwn() {
        let fields = HTTPFields([("x", "a\r\nset-cookie: b"), ("y\r\nz", "c")])
        let text = Self.bytes(HTTPResponse(status: .ok, fields: fields))
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\nx: a  set-cookie: b\r\ny  z: c\r\ncontent-length: 0\r\n"))
    }
}

@Suite struct ResponseHeadParserTests {
    enum Read: Equatable {
        case head(Int, String, HTTPFields)
        case refused(HTTPError)
    }

    static func feed() -> ([UInt8]) -> [Read] {
        var parser = ResponseHeadParser()
        var isRefused = false
        return { bytes in
            var position = 0
            var reads: [Read] = []
            while !isRefused {
                do throws(HTTPError) {
                    guard let head = try parser.next(bytes.span, at: &position) else { break }
                    reads.append(.head(head.statusCode, head.phrase, head.fields))
                } catch {
                    isRefused = true
                    reads.append(.refused(error))
                }
            }
            return reads
        }
    }

    @Test func everyCuttingGivesTheSameHeads() {
        let samples: [(input: [UInt8], outputs: [Read])] = [
            (
                Array("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n".utf8),
                [.head(101, "Switching Protocols", HTTPFields([("upgrade", "websocket")]))]
            ),
            (Array("HTTP/1.0 404\r\n\r\n".utf8), [.head(404, "", HTTPFields())]),
            (Array("HTTP/1.1 200 \r\nA:\r\n\r\n".utf8), [.head(200, "", HTTPFields([("a", "")]))]),
        ]
        #expect(DecoderVerifier(samples: samples, makeFeed: Self.feed).mismatches().isEmpty)
    }

    @Test(arguments: [
        ("HTTP/2 200 OK\r\n", HTTPError.unsupportedVersion), ("ICY 200 OK\r\n", .malformedStartLine),
        ("HTTP/1.1 20 OK\r\n", .malformedStartLine), ("HTTP/1.1 2000 OK\r\n", .malformedStartLine),
        ("HTTP/1.1 600 OK\r\n", .malformedStartLine), ("HTTP/1.1 +20 OK\r\n", .malformedStartLine),
        ("HTTP/1.1 101 OK\n", .bareLineFeed), ("HTTP/1.1 101 OK\r\n a\r\n", .foldedField),
    ]) func badAnswersAreRefused(_ text: String, _ error: HTTPError) {
        #expect(Self.feed()(Array(text.utf8)) == [.refused(error)])
    }
}
