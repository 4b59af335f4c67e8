#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `Models/manifest.json`, schema 1 (described in `Models/README.md`).
struct ModelManifest: Decodable, Sendable {
    /// A named array of numbers.
    struct Output: Decodable, Sendable {
        var name: String
        var values: [Float]
    }

    /// An input or output of a model.
    struct Port: Decodable, Sendable {
        var name: String
        /// −1 is the batch.
        var shape: [Int]
    }

    /// What a model must answer to a known input, so that a wrong build is noticed before a wrong alert.
    struct Golden: Decodable, Sendable {
        var kind: String
        var input: [Float]
        var outputs: [Output]
        var tolerance: Float
    }

    /// One model.
    struct Model: Decodable, Sendable {
        var name: String
        var file: String
        var version: String
        var sha256: String
        var inputs: [Port]
        var outputs: [Port]
        var labels: [String]
        var classThresholds: [Float]?
        var presenceThreshold: Float?
        var golden: Golden
    }

    var schema: Int
    var models: [Model]

    /// Largest manifest read: a golden input of a few hundred numbers a model fits many times over.
    static let maxBytes = 4 << 20

    /// Reads a manifest.
    /// - Throws: `ServerError`, naming the field.
    init(json: [UInt8], path: String) throws(ServerError) {
        guard json.count <= Self.maxBytes else {
            throw ServerError(
                what: path, reason: "\(json.count) bytes, more than \(Self.maxBytes)",
                advice: "Restore the file that came with the server.")
        }
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(json))
        } catch let error as DecodingError {
            throw ServerError(
                what: path, reason: Self.describe(error),
                advice: "Restore the file that came with the server.")
        } catch {
            throw ServerError(
                what: path, reason: "not JSON", advice: "Restore the file that came with the server.")
        }
        guard schema == 1 else {
            throw ServerError(
                what: path, reason: "schema: expected 1, got \(schema)",
                advice: "Use the models that belong to this version of the server.")
        }
    }

    private static func describe(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "\(path(context.codingPath + [key])): missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(path(context.codingPath)): \(context.debugDescription)"
        case .dataCorrupted(let context): "not valid JSON: \(context.debugDescription)"
        @unknown default: "not valid"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map { "[\($0)]" } ?? "." + $0.stringValue }.joined()
    }
}
