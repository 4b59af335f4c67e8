// Fuzz target: a connection of either role, with and without compression, fed in cuts that the input chooses.
// The cutting must not change the events, and a failure must close.

import WebSocketCore

private struct Setup {
    let isServer: Bool
    let isCompressed: Bool
    let keepsWindows: Bool

    init(_ bits: UInt8) {
        isServer = bits & 1 != 0
        isCompressed = bits & 2 != 0
        keepsWindows = bits & 4 != 0
    }

    func events(_ bytes: [UInt8], pieceBytes: Int) -> (events: [WebSocketEvent], output: [UInt8]) {
        var parameters = DeflateParameters()
        parameters.clientNoContextTakeover = !keepsWindows
        parameters.serverNoContextTakeover = !keepsWindows
        var connection = WebSocketConnection(
            role: isServer ? .server : .client(maskKeys: { 0x1234_5678 }),
            limits: WebSocketLimits(
                maxMessageBytes: 4096, maxFragments: 8, smallFragmentBytes: 4, maxSmallFragments: 4),
            compression: isCompressed ? parameters : nil)
        var events: [WebSocketEvent] = []
        var output: [UInt8] = []
        var start = 0
        while start < bytes.count {
            let piece = Array(bytes[start..<min(bytes.count, start + pieceBytes)])
            var position = 0
            while let event = connection.nextEvent(piece.span, at: &position, output: &output) {
                switch event {
                case .text(let text):
                    precondition(String(validating: text, as: UTF8.self) != nil, "text is not UTF-8")
                    connection.send(.text, text, output: &output)
                case .binary(let bytes): connection.send(.binary, bytes, output: &output)
                case .failed, .close: precondition(connection.state.closeCode != nil, "not closed")
                case .ping, .pong: break
                }
                events.append(event)
            }
            precondition(position == piece.count, "input left over")
            start += piece.count
        }
        return (events, output)
    }
}

/// libFuzzer's entry: one input, 0 for "go on".
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWebSocketFrames(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: data, count: size))
    guard input.count > 2 else { return 0 }
    let setup = Setup(input[0])
    let bytes = Array(input.dropFirst(2))
    let whole = setup.events(bytes, pieceBytes: bytes.count)
    let cut = setup.events(bytes, pieceBytes: 1 + Int(input[1] % 64))
    precondition(whole == cut, "the cutting changed the result")
    return 0
}
