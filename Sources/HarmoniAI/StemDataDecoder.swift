#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stem data JSON, in the original app's format → `StemData`. The only file of this module that uses
/// Foundation: for JSON. Cost: about 80 ms of one core per MB, so large songs are decoded off the event loop.
///
/// All four stems are needed, as the visual frame shows them all; unknown fields and further stems are skipped.
public struct StemDataDecoder: Sendable {
    /// A decoder; it holds no state.
    public init() {}

    /// Refuses a document by its announced size, before any of it is kept.
    ///
    /// - Throws: `tooManyBytes`, or `outOfRange` for 0.
    public static func check(announcedBytes: UInt64) throws(HarmoniAIError) {
        guard announcedBytes <= HarmoniAILimits.maxDocumentBytes else {
            throw .tooManyBytes(got: announcedBytes, limit: HarmoniAILimits.maxDocumentBytes)
        }
        guard announcedBytes > 0 else {
            throw .outOfRange(
                field: "document", value: "0 bytes",
                accepted: "1 to \(HarmoniAILimits.maxDocumentBytes) bytes")
        }
    }

    /// Reads and checks one document.
    ///
    /// - Throws: the first fault found, with its path in the document.
    public func decode(_ bytes: [UInt8]) throws(HarmoniAIError) -> StemData {
        try Self.check(announcedBytes: UInt64(bytes.count))
        let file: StemFile
        do {
            file = try JSONDecoder().decode(StemFile.self, from: Data(bytes))
        } catch let error as DecodingError {
            throw Self.fault(error)
        } catch {
            throw .notJSON(reason: "unreadable")
        }
        return try file.checked()
    }

    private static func fault(_ error: DecodingError) -> HarmoniAIError {
        switch error {
        case .keyNotFound(let key, let context):
            .missing(field: path(context.codingPath + [key]))
        case .valueNotFound(_, let context):
            .missing(field: path(context.codingPath))
        case .typeMismatch(let type, let context):
            .wrongType(field: path(context.codingPath), expected: name(type))
        case .dataCorrupted(let context):
            context.codingPath.isEmpty
                ? .notJSON(reason: String(context.debugDescription.prefix(120)))
                : .outOfRange(
                    field: path(context.codingPath), value: "an unreadable number", accepted: "a plain number"
                )
        @unknown default:
            .notJSON(reason: "unreadable")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        var text = ""
        for key in keys {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : "." + key.stringValue
            }
        }
        return text.isEmpty ? "document" : text
    }

    private static func name(_ type: any Any.Type) -> String {
        switch type {
        case is String.Type: "text"
        case is Double.Type, is Float.Type: "a number"
        case is [Double].Type, is [Float].Type, is [any Any].Type: "a list of numbers"
        default: "\(type)".contains("Array") ? "a list of numbers" : "an object"
        }
    }
}

/// The document as written; not yet checked.
struct StemFile: Decodable {
    var metadata: Metadata
    var stems: Stems

    struct Metadata: Decodable {
        var title: String
        var duration_seconds: Double
        var sample_rate: Double
        var fps: Double
        var total_frames: Double
        var tempo_bpm: Double?
        var beat_frames: [Double]?
    }

    struct Stems: Decodable {
        var drums: StemPart
        var bass: StemPart
        var vocals: StemPart
        var other: StemPart
    }

    struct StemPart: Decodable {
        var energy: [Double]
        var onsets: [Double]?
        var strong_onsets: [Double]?
        var peak_energy: Double
    }
}
