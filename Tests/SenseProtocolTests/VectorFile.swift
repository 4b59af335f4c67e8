import Foundation
import SenseProtocol

/// One golden vector of `protocol/vectors/v1`; the format stands in SPEC.md, "Vectors".
struct WireVector {
    let label: String
    let content: [String: Any]

    var about: String { content["about"] as? String ?? "" }
    var type: (any Sampled.Type)? {
        allMessages.first { $0.messageName == content["message"] as? String }
    }
    func bytes(_ key: String) -> [UInt8]? { (content[key] as? String).flatMap(Self.unhex) }
    func text(_ key: String) -> String? { content[key] as? String }
    func integer(_ key: String) -> Int { (content[key] as? NSNumber)?.intValue ?? 0 }

    /// Default limits, or those that the vector asks for.
    var limits: WireLimits {
        guard let asked = content["limits"] as? [String: NSNumber] else { return .default }
        let message = asked["maxMessageBytes"]?.intValue ?? WireLimits.default.maxMessageBytes
        return WireLimits(
            maxMessageBytes: message, maxScalars: asked["maxScalars"]?.intValue ?? 65_536,
            maxStringBytes: asked["maxStringBytes"]?.intValue, maxBytesBytes: asked["maxBytesBytes"]?.intValue
        )
    }

    static func all(in folder: String) throws -> [WireVector] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("protocol/vectors/v1/\(folder)")
        let files = try FileManager.default.contentsOfDirectory(at: root, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }.flatMap { file in
            let parsed = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
            let items = parsed as? [[String: Any]] ?? [parsed as? [String: Any] ?? [:]]
            return items.enumerated().map { index, item in
                WireVector(label: "\(file.lastPathComponent)[\(index)]", content: item)
            }
        }
    }

    private static func unhex(_ text: String) -> [UInt8]? {
        let digits = Array(text)
        guard digits.count % 2 == 0 else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        return bytes.contains(nil) ? nil : bytes.compactMap { $0 }
    }
}

/// JSON with every number rounded to 32 bits, so that two shortest spellings of one float compare equal.
func roundedJSON(_ value: Any) -> NSObject {
    switch value {
    case let object as [String: Any]: return object.mapValues(roundedJSON) as NSDictionary
    case let array as [Any]: return array.map(roundedJSON) as NSArray
    case let number as NSNumber: return NSNumber(value: Float(number.doubleValue))
    case let object as NSObject: return object
    default: return NSNull()
    }
}
