// Fuzz target: request and response heads, origins and the opening handshake, fed in cuts that the input chooses.
// Only documented errors may come out, and a head that parses must parse alike when it comes whole.

import HTTPCore
import WebSocketCore

private func parse(_ bytes: [UInt8], pieceBytes: Int) -> Result<RequestHead?, HTTPError> {
    var parser = RequestHeadParser(
        limits: HTTPLimits(maxHeadBytes: 2048, maxLineBytes: 512, maxFields: 16, maxBodyBytes: 64),
        methods: Set(HTTPMethod.allCases))
    var start = 0
    while start < bytes.count {
        let piece = Array(bytes[start..<min(bytes.count, start + pieceBytes)])
        var position = 0
        do throws(HTTPError) {
            if let head = try parser.next(piece.span, at: &position) { return .success(head) }
        } catch {
            return .failure(error)
        }
        precondition(position == piece.count, "input left over without a head")
        start += piece.count
    }
    return .success(nil)
}

/// libFuzzer's entry: one input, 0 for "go on".
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTPRequestHead(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: data, count: size))
    guard let first = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    let whole = parse(bytes, pieceBytes: max(1, bytes.count))
    let cut = parse(bytes, pieceBytes: 1 + Int(first % 32))
    precondition(whole == cut, "the cutting changed the result")
    if case .success(let head?) = whole {
        _ = OriginPolicy(["https://good.example"]).verdict(head.fields)
        _ = try? ServerHandshake(
            head, .init(subprotocols: ["sense.v1"], compression: DeflateConfiguration()))
    }
    var parser = ResponseHeadParser()
    var position = 0
    _ = try? parser.next(bytes.span, at: &position)
    return 0
}
