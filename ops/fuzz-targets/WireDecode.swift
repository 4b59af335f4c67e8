import SenseProtocol

/// Envelopes from a peer, as bytes and as JSON (by the first byte). Only `WireError` may come out; what is accepted
/// can be encoded in the size it states and decodes to the same bytes. The bytes are the only memory read, and only
/// within `count`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWireDecode(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    let decoded = first & 1 == 0 ? try? Envelope.decode(bytes) : try? Envelope.decodeJSON(bytes)
    guard let decoded else { return 0 }
    precondition(decoded.unknownFields >= (decoded.unknownBody == nil ? 0 : 1))
    let again = decoded.message.serialized()
    precondition(again.count == decoded.message.encodedSize)
    guard let message = try? Envelope.decode(again, limits: .media).message else {
        preconditionFailure("own bytes are refused")
    }
    precondition(message.serialized() == again)
    guard let fromJSON = try? Envelope.decodeJSON(message.serializedJSON(), limits: .media).message else {
        preconditionFailure("own JSON is refused")
    }
    precondition(fromJSON.serializedJSON() == message.serializedJSON())
    return 0
}
