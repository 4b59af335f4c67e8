import ByteCodec
import Foundation
import Testing

@testable import protoc_gen_sense

/// The generator's text against checked-in files. After a wanted change run the tests with `SENSE_GOLDEN=write` and
/// read the difference. `every-type.request` is what `protoc` sends for `every-type.proto`.
struct GeneratorTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Golden")

    private func request() throws -> [UInt8] {
        Array(try Data(contentsOf: Self.folder.appendingPathComponent("every-type.request")))
    }

    @Test
    func everyTypeAgainstGoldenFiles() throws {
        var generatorRequest = try DescriptorReader.request(request())
        var files = try Generator(request: generatorRequest).files()
        generatorRequest.parameter = "samples"
        files += try Generator(request: generatorRequest).files()
        #expect(
            files.map(\.name) == [
                "every-type.swift", "every-type+json.swift", "every-type+samples.swift", "all+samples.swift",
            ])
        for file in files {
            let golden = Self.folder.appendingPathComponent(file.name + ".golden")
            if ProcessInfo.processInfo.environment["SENSE_GOLDEN"] == "write" {
                try file.content.write(to: golden, atomically: true, encoding: .utf8)
            }
            #expect(try String(contentsOf: golden, encoding: .utf8) == file.content, "\(file.name)")
        }
    }

    @Test
    func sameRequestSameAnswer() throws {
        #expect(GeneratorResponse.answer(try request()) == GeneratorResponse.answer(try request()))
    }

    @Test
    func aCutRequestIsAnErrorForProtoc() throws {
        let whole = try request()
        for length in stride(from: 1, to: whole.count, by: 37) {
            _ = GeneratorResponse.answer(Array(whole[..<length]))
        }
        let answer = GeneratorResponse.answer(Array(whole.dropLast()))
        // Field 1 of the response is the error text.
        #expect(answer.prefix(1) == [0x0a])
    }

    @Test
    func whatIsNotSupportedIsNamed() {
        var file = FileDescriptor()
        file.name = "old.proto"
        file.syntax = "proto2"
        var request = GeneratorRequest(filesToGenerate: ["old.proto"], parameter: "", files: [file])
        #expect(throws: GeneratorError.unsupported("old.proto: syntax other than proto3")) {
            try Generator(request: request).files()
        }
        file.syntax = "proto3"
        file.messages = [MessageDescriptor(name: "Outer", nested: [MessageDescriptor(name: "Inner")])]
        request.files = [file]
        #expect(throws: GeneratorError.unsupported("types nested in message Outer")) {
            try Generator(request: request).files()
        }
        request.parameter = "speed=high"
        #expect(throws: GeneratorError.unsupported("parameter speed=high")) {
            try Generator(request: request).files()
        }
    }
}
