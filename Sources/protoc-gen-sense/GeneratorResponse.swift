import ByteCodec

/// A `CodeGeneratorResponse`, what `protoc` reads from standard output.
enum GeneratorResponse {
    /// The answer to a request: its files, or the error for `protoc` to show.
    static func answer(_ request: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        // supported_features = FEATURE_PROTO3_OPTIONAL
        writer.append(2 << 3)
        writer.append(1)
        do {
            for file in try Generator(request: DescriptorReader.request(request)).files() {
                var body = ByteWriter()
                body.field(1, Array(file.name.utf8))
                body.field(15, Array(file.content.utf8))
                writer.field(15, body.bytes)
            }
        } catch {
            writer = ByteWriter()
            writer.field(1, Array("\(error)".utf8))
        }
        return writer.bytes
    }
}

extension ByteWriter {
    fileprivate mutating func field(_ number: UInt64, _ value: [UInt8]) {
        appendVarint(number << 3 | 2)
        appendVarint(UInt64(value.count))
        append(contentsOf: value)
    }
}
