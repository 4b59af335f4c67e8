#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Scene JSON, in the original app's format → `Scene`. The only file of this module that uses Foundation: for JSON.
///
/// A bad value makes its object flagged, an entry that is not an object is skipped; only a document that is not
/// a scene at all is refused.
public struct SceneDecoder: Sendable {
    /// A decoder; it holds no state.
    public init() {}

    /// Reads one document.
    ///
    /// - Throws: `tooManyBytes` or `notAScene`.
    public func decode(_ bytes: [UInt8]) throws(BlindspotError) -> Scene {
        guard bytes.count <= BlindspotLimits.maxDocumentBytes else {
            throw .tooManyBytes(got: bytes.count, limit: BlindspotLimits.maxDocumentBytes)
        }
        do {
            let file = try JSONDecoder().decode(SceneFile.self, from: Data(bytes))
            return Scene(objects: file.objects.compactMap(\.object))
        } catch let DecodingError.keyNotFound(key, _) {
            throw .notAScene(field: key.stringValue, reason: "missing")
        } catch let DecodingError.typeMismatch(_, context), let DecodingError.valueNotFound(_, context) {
            let field = context.codingPath.first?.stringValue ?? "scene"
            throw .notAScene(field: field, reason: "wrong type")
        } catch {
            throw .notAScene(field: "scene", reason: "not JSON")
        }
    }
}

/// The document as written.
private struct SceneFile: Decodable {
    var objects: [Entry]

    /// One entry of the list; `object` is nil when it is not an object at all.
    struct Entry: Decodable {
        var object: SceneObject?

        enum CodingKeys: String, CodingKey {
            case label, position, distance, confidence
        }

        init(from decoder: any Decoder) throws {
            guard let fields = try? decoder.container(keyedBy: CodingKeys.self) else { return }
            let label = (try? fields.decode(String.self, forKey: .label)) ?? ""
            let position = (try? fields.decode(String.self, forKey: .position)) ?? ""
            let text = try? fields.decode(String.self, forKey: .distance)
            // A bare number is in feet, as a text without unit is; one that is no number at all is flagged.
            let number = text == nil ? try? fields.decode(Double.self, forKey: .distance) : nil
            let isAbsent = !fields.contains(.distance) || (try? fields.decodeNil(forKey: .distance)) == true
            let unread = text == nil && number == nil && !isAbsent
            let hasConfidence =
                fields.contains(.confidence) && (try? fields.decodeNil(forKey: .confidence)) != true
            let confidence =
                hasConfidence ? (try? fields.decode(Double.self, forKey: .confidence)) ?? .nan : nil
            object = SceneObject(
                label: label, position: ScenePosition(position),
                distanceM: unread ? .nan : number.map { $0 * DistanceParser.metresInFoot },
                distanceText: text,
                confidence: confidence)
        }
    }
}
