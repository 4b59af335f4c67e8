import Foundation
import SenseProtocol
import Testing

/// Writes random messages for `ops/check-vectors`, which reads them with stock protobuf. Runs only when asked to by
/// `SENSE_SAMPLE_OUTPUT`.
struct SampleOutputTests {
    private static let output = ProcessInfo.processInfo.environment["SENSE_SAMPLE_OUTPUT"]

    @Test(.enabled(if: output != nil))
    func writeSamples() throws {
        var random = SampleSource(seed: 20)
        var lines = ""
        for type in allMessages {
            for _ in 0..<10 { lines += line(type.sample(&random)) }
        }
        try lines.write(toFile: try #require(Self.output), atomically: true, encoding: .utf8)
    }

    private func line(_ message: some Sampled) -> String {
        let hex = message.serialized().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            .joined()
        let json = String(decoding: message.serializedJSON(), as: UTF8.self)
        return #"{"message":"\#(type(of: message).messageName)","hex":"\#(hex)","json":\#(json)}"# + "\n"
    }
}
