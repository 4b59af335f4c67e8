import SenseProtocol
import Testing
import WebSocketCore

@testable import SenseServer

@Suite("Sessions at the edge")
struct SessionEdgeTests {
    /// Before, a stranger could make the server hold a message of 1 MiB, and heard only a close code.
    @Test("before Hello a message above 64 KiB is refused with a typed error, then 1009")
    func strangers() throws {
        let whole = try WholeServer()
        var peer = try whole.connect()
        try peer.send(.binary, [UInt8](repeating: 0, count: 65_537))
        let error = try #require(try peer.nextError())
        #expect(error.code == .tooLarge)
        #expect(error.fatal)
        #expect(error.devMessage.contains("65536"))
        #expect(
            try peer.next() == .close(CloseFrame(code: .messageTooBig, reason: "message above 65536 bytes")))
    }

    @Test("after Welcome the session itself refuses a message above the limit of its class")
    func welcomed() throws {
        let whole = try WholeServer()
        var peer = try whole.pair(.phone)
        try peer.send(.binary, [UInt8](repeating: 0, count: 1_048_577))
        let error = try #require(try peer.nextError())
        #expect(error.code == .tooLarge)
        #expect(error.devMessage.contains("1048576"))
    }

    @Test("far above the limit the transport refuses, after a typed error that names the limit in force")
    func farAbove() throws {
        let whole = try WholeServer()
        var peer = try whole.pair(.wearable)
        try peer.send(.binary, [UInt8](repeating: 0, count: 4096 + 65_536 + 1))
        let error = try #require(try peer.nextError())
        #expect(error.code == .tooLarge)
        #expect(error.devMessage.contains("at most 4096 bytes"))
        guard case .close(let frame)? = try peer.next() else {
            Issue.record("no close")
            return
        }
        #expect(frame.code == .messageTooBig)
    }

    @Test("JSON of a wrong value is an invalid value; what is no message is malformed")
    func json() throws {
        let whole = try WholeServer()
        for (text, code) in [
            (#"{"seq": "1", "finish": {"streamId": "many"}}"#, ErrorCode.invalidValue), ("[]", .malformed),
        ] {
            var peer = try whole.connect(subprotocol: "sense.v1.json")
            try peer.send(.text, Array(text.utf8))
            #expect(try peer.nextError()?.code == code)
        }
    }

    /// Before, this device got a non-fatal error in place of its Welcome, and was active all the same.
    @Test("a device with 512-byte frames gets a Welcome that fits")
    func smallest() throws {
        let whole = try WholeServer()
        var peer = try whole.connect()
        try peer.send(
            Hello(
                deviceClass: .wearable, deviceName: "band", capabilities: Capabilities(maxFrameBytes: 512),
                credential: .pairingCode(#require(whole.server.pairingCode))))
        guard case .binary(let bytes)? = try peer.next(),
            case .welcome(let welcome)? = try Envelope.decode(bytes).message.body
        else {
            Issue.record("no Welcome")
            return
        }
        #expect(bytes.count <= 512)
        #expect(welcome.unavailable.contains { $0.feature == "sounds" })
    }

    @Test("a Welcome that cannot fit ends the session with a typed error")
    func tooSmall() throws {
        let whole = try WholeServer()
        var peer = try whole.connect(subprotocol: "sense.v1.json")
        let hello = Hello(
            deviceClass: .wearable, deviceName: "band", capabilities: Capabilities(maxFrameBytes: 512),
            credential: .pairingCode(try #require(whole.server.pairingCode)))
        try peer.send(.text, Envelope(seq: 1, body: .hello(hello)).serializedJSON())
        guard case .error(let error)? = try peer.nextBody(), case .close(let frame)? = try peer.next() else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .tooLarge)
        #expect(error.fatal)
        #expect(frame.code?.rawValue == 4413)
    }

    /// Before, any unknown field of the envelope was taken for an unknown body.
    @Test("an unknown field is counted, an unknown body is named if it must be understood")
    func unknown() throws {
        let whole = try WholeServer()
        var peer = try whole.pair(.phone)
        // must_understand (4) with field 200 = 1, then with body 98 = "".
        let mustUnderstand = Envelope(seq: 2, mustUnderstand: true).serialized()
        try peer.send(.binary, mustUnderstand + [0xC0, 0x0C, 1])
        #expect(try peer.nextError()?.devMessage.contains("no body") == true)
        try peer.send(.binary, mustUnderstand + [0x92, 0x06, 0])
        #expect(try peer.nextError()?.devMessage.contains("98") == true)
        try peer.close(.normal)
        while try peer.next() != nil {}
        for _ in 0..<1000 where !whole.server.metricsText.contains("sense_unknown_fields_total 4\n") {
            var other = try whole.connect()
            try other.close(.normal)
            while try other.next() != nil {}
        }
        #expect(whole.server.metricsText.contains("sense_unknown_fields_total 4\n"))
    }
}
