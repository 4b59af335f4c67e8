import HTTPCore
import TestSupport
import Testing

@testable import WebSocketCore

@Suite struct HandshakeTests {
    static let base = [
        ("host", "server.example"), ("upgrade", "websocket"), ("connection", "keep-alive, Upgrade"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="), ("sec-websocket-version", "13"),
    ]

    static func request(
        without: String = "", with: [(String, String)] = [], method: HTTPMethod = .get, minorVersion: Int = 1
    ) -> RequestHead {
        RequestHead(
            method: method, target: "/v1", minorVersion: minorVersion, host: "server.example",
            fields: HTTPFields(base.filter { $0.0 != without } + with))
    }

    static func accept(
        _ request: RequestHead, _ options: ServerHandshake.Options = .init()
    ) -> Result<ServerHandshake, HandshakeError> {
        do throws(HandshakeError) {
            return .success(try ServerHandshake(request, options))
        } catch {
            return .failure(error)
        }
    }

    static func extensions(_ offer: String, _ configuration: DeflateConfiguration) -> String? {
        let request = request(with: [("sec-websocket-extensions", offer)])
        guard case .success(let handshake) = accept(request, .init(compression: configuration)) else {
            return "refused"
        }
        return handshake.response.fields.single("sec-websocket-extensions")
    }

    /// The example of RFC 6455 section 1.3.
    @Test func theStandardsExampleIsAccepted() throws {
        let handshake = try ServerHandshake(Self.request(), .init())
        var bytes: [UInt8] = []
        handshake.response.serialize(into: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self) == """
                HTTP/1.1 101 Switching Protocols\r
                upgrade: websocket\r
                connection: Upgrade\r
                sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
                \r

                """)
    }

    @Test func whatIsNoHandshakeIsRefusedWithItsReason() {
        let cases: [(RequestHead, HandshakeError, Int)] = [
            (Self.request(without: "upgrade"), .notAnUpgrade, 426),
            (Self.request(without: "connection"), .notAnUpgrade, 426),
            (Self.request(without: "upgrade", with: [("upgrade", "h2c")]), .notAnUpgrade, 426),
            (Self.request(method: .post), .wrongMethod(.post), 405),
            (Self.request(minorVersion: 0), .oldHTTPVersion, 400),
            (Self.request(without: "sec-websocket-version"), .unsupportedVersion, 426),
            (
                Self.request(without: "sec-websocket-version", with: [("sec-websocket-version", "8")]),
                .unsupportedVersion, 426
            ),
            (Self.request(with: [("sec-websocket-version", "13")]), .unsupportedVersion, 426),
            (Self.request(without: "sec-websocket-key"), .invalidKey, 400),
            (Self.request(with: [("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")]), .invalidKey, 400),
            (
                Self.request(without: "sec-websocket-key", with: [("sec-websocket-key", "c2hvcnQ=")]),
                .invalidKey, 400
            ),
            (
                Self.request(
                    without: "sec-websocket-key", with: [("sec-websocket-key", "dGhlIHNhbXBsZSBub25j*Q==")]),
                .invalidKey, 400
            ),
            (
                Self.request(with: [("sec-websocket-extensions", "permessage-deflate; =3")]),
                .malformedExtensions, 400
            ),
            (Self.request(with: [("sec-websocket-protocol", "a b")]), .noCommonSubprotocol, 400),
        ]
        for (request, error, status) in cases {
            #expect(Self.accept(request) == .failure(error))
            #expect(error.response.status.code == status)
            // Fault 24: nothing that follows a refusal is read as a request.
            #expect(error.response.closesConnection)
        }
        #expect(
            HandshakeError.unsupportedVersion.response.fields.single("sec-websocket-version") == "13")
    }

    @Test func theClientsPreferenceDecidesTheSubprotocol() throws {
        let options = ServerHandshake.Options(
            subprotocols: ["sense.v1", "sense.v1.json"], requiresSubprotocol: true)
        func chosen(_ offers: String...) -> String? {
            let request = Self.request(with: offers.map { ("sec-websocket-protocol", $0) })
            guard case .success(let handshake) = Self.accept(request, options) else { return nil }
            #expect(handshake.response.fields.single("sec-websocket-protocol") == handshake.subprotocol)
            return handshake.subprotocol
        }
        #expect(chosen("sense.v1") == "sense.v1")
        #expect(chosen("other, sense.v1.json, sense.v1") == "sense.v1.json")
        #expect(chosen("other", "sense.v1") == "sense.v1")
        #expect(chosen("sense.v2") == nil)
        #expect(Self.accept(Self.request(), options) == .failure(.noCommonSubprotocol))
        #expect(try ServerHandshake(Self.request(), .init(subprotocols: ["sense.v1"])).subprotocol == nil)
    }

    @Test func offersOfCompressionAreAnsweredByTheRules() {
        let kept = DeflateConfiguration(noContextTakeover: false)
        let small = DeflateConfiguration(noContextTakeover: false, maxWindowBits: 10, peerMaxWindowBits: 11)
        let cases: [(String, DeflateConfiguration, String?)] = [
            ("permessage-deflate", kept, "permessage-deflate"),
            ("Permessage-Deflate", kept, "permessage-deflate"),
            ("foo, permessage-deflate; bar, permessage-deflate", kept, "permessage-deflate"),
            (
                "permessage-deflate", DeflateConfiguration(),
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
            ),
            (
                "permessage-deflate; server_no_context_takeover", kept,
                "permessage-deflate; server_no_context_takeover"
            ),
            ("permessage-deflate; client_max_window_bits", kept, "permessage-deflate"),
            (
                "permessage-deflate; client_max_window_bits", small,
                "permessage-deflate; client_max_window_bits=11"
            ),
            (
                "permessage-deflate; client_max_window_bits=9; server_max_window_bits=\"12\"", kept,
                "permessage-deflate; server_max_window_bits=12; client_max_window_bits=9"
            ),
            (
                "permessage-deflate; server_max_window_bits=12", small,
                "permessage-deflate; server_max_window_bits=10"
            ),
            ("permessage-deflate; server_max_window_bits", kept, nil),
            ("permessage-deflate; server_max_window_bits=7", kept, nil),
            ("permessage-deflate; server_max_window_bits=16", kept, nil),
            ("permessage-deflate; server_max_window_bits=09", kept, nil),
            ("permessage-deflate; server_no_context_takeover=1", kept, nil),
            ("permessage-deflate; server_no_context_takeover; server_no_context_takeover", kept, nil),
            (
                "permessage-deflate; server_max_window_bits=7, permessage-deflate; server_max_window_bits=8",
                kept, "permessage-deflate; server_max_window_bits=8"
            ),
            ("x-webkit-deflate-frame", kept, nil),
            ("permessage-deflate; a=\"1", kept, "refused"),
            ("permessage-deflate; server_max_window_bits=\"a b\"", kept, "refused"),
            (", ,permessage-deflate,", kept, "permessage-deflate"),
        ]
        for (offer, configuration, answer) in cases {
            #expect(Self.extensions(offer, configuration) == answer, "\(offer)")
        }
    }

    static func answer(_ client: ClientHandshake, _ options: ServerHandshake.Options) throws -> HTTPResponse {
        var parser = RequestHeadParser()
        var position = 0
        let head = try parser.next(client.request.span, at: &position)
        return try ServerHandshake(try #require(head), options).response
    }

    @Test(arguments: [
        nil, DeflateConfiguration(), DeflateConfiguration(noContextTakeover: false, maxWindowBits: 9),
    ])
    func clientAndServerAgree(_ compression: DeflateConfiguration?) throws {
        let client = ClientHandshake(
            host: "localhost:8443", target: "/v1", nonce: Array(0..<16),
            subprotocols: ["sense.v1", "sense.v1.json"], compression: compression,
            fields: [("authorization", "Bearer x\r\ninjected: 1")])
        let options = ServerHandshake.Options(
            subprotocols: ["sense.v1.json"], compression: DeflateConfiguration(noContextTakeover: false))
        var parser = RequestHeadParser()
        var position = 0
        let request = try #require(try parser.next(client.request.span, at: &position))
        #expect(request.fields.values("injected").isEmpty)
        let server = try ServerHandshake(request, options)
        let agreement = try client.confirm(
            ResponseHead(statusCode: 101, phrase: "", fields: server.response.fields))
        #expect(agreement.subprotocol == "sense.v1.json")
        #expect(agreement.compression == server.compression)
        #expect((agreement.compression != nil) == (compression != nil))
    }

    @Test func wrongAnswersAreRefused() throws {
        let client = ClientHandshake(
            host: "a", target: "/", nonce: Array(0..<16), subprotocols: ["sense.v1"],
            compression: DeflateConfiguration(noContextTakeover: false))
        let good = try Self.answer(client, .init(subprotocols: ["sense.v1"])).fields.all.map {
            ($0.name, $0.value)
        }
        func confirm(_ code: Int = 101, without: String = "", with: [(String, String)] = [])
            -> HandshakeError?
        {
            let fields = HTTPFields(good.filter { $0.0 != without } + with)
            do throws(HandshakeError) {
                _ = try client.confirm(ResponseHead(statusCode: code, phrase: "", fields: fields))
                return nil
            } catch {
                return error
            }
        }
        #expect(confirm() == nil)
        #expect(confirm(403) == .refused(statusCode: 403))
        #expect(confirm(without: "upgrade") == .answerIsNoUpgrade)
        #expect(confirm(without: "connection") == .answerIsNoUpgrade)
        #expect(confirm(without: "sec-websocket-accept") == .wrongAccept)
        #expect(
            confirm(without: "sec-websocket-accept", with: [("sec-websocket-accept", "AAAA")]) == .wrongAccept
        )
        #expect(
            confirm(without: "sec-websocket-protocol", with: [("sec-websocket-protocol", "other")])
                == .unexpectedSubprotocol)
        for extensions in [
            "x-other", "permessage-deflate; x", "permessage-deflate, permessage-deflate",
            "permessage-deflate; client_max_window_bits",
        ] {
            #expect(confirm(with: [("sec-websocket-extensions", extensions)]) == .unexpectedExtension)
        }
    }

    /// The first frames may share a read with the upgrade request, cut anywhere.
    @Test func fault02_bytesAfterTheUpgradeRequestAreNotLost() {
        let client = ClientHandshake(host: "a", target: "/v1", nonce: Array(0..<16))
        let frames = Wire.text("first") + Wire.binary([1, 2, 3])
        let events: [WebSocketEvent] = [.text(Array("first".utf8)), .binary([1, 2, 3])]
        let mismatches = DecoderVerifier(samples: [(client.request + frames, events)]) {
            var parser = RequestHeadParser()
            var server: Endpoint?
            return { bytes -> [WebSocketEvent] in
                var position = 0
                if server == nil {
                    guard let head = try? parser.next(bytes.span, at: &position),
                        (try? ServerHandshake(head, .init())) != nil
                    else { return [] }
                    server = .server()
                }
                return server?.receive(Array(bytes[position...])) ?? []
            }
        }.mismatches()
        #expect(mismatches.isEmpty)
    }

    @Test func digestsOfKnownMessages() {
        func hex(_ text: String) -> String {
            SHA1.digest(Array(text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                .joined()
        }
        #expect(hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
        #expect(hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(
            hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
        #expect(hex(String(repeating: "a", count: 1000)) == "291e9a6c66994949b57ba5e650361e98fc36b1ba")
    }

    @Test func base64OfKnownMessages() {
        for (plain, text) in [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ] {
            #expect(Base64.encode(Array(plain.utf8)) == text)
        }
        #expect(Base64.encode([0xFB, 0xFF]) == "+/8=")
    }
}
