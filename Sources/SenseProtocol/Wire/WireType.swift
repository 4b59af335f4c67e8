/// The encoding of one field on the wire (protobuf "wire type", the low three bits of a tag).
public enum WireType: UInt8, Sendable, Equatable {
    /// Integers, booleans and enum values.
    case varint = 0
    /// Eight little-endian bytes.
    case fixed64 = 1
    /// A length, then so many bytes: text, bytes, messages, packed scalars.
    case lengthDelimited = 2
    /// Start of a group (proto2); skipped, never produced.
    case startGroup = 3
    /// End of a group.
    case endGroup = 4
    /// Four little-endian bytes.
    case fixed32 = 5
}

/// A field's tag as read from the wire.
public struct WireTag: Sendable, Equatable {
    /// 1…536,870,911.
    public let number: UInt32
    /// How the value is encoded.
    public let type: WireType
    /// Where the tag starts in the message.
    public let offset: Int
}
