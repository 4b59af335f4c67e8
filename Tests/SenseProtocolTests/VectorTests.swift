import Foundation
import SenseProtocol
import Testing

/// Every vector of `protocol/vectors/v1`; `ops/check-vectors` checks the same files with stock protobuf.
struct VectorTests {
    @Test
    func validVectors() throws {
        let vectors = try WireVector.all(in: "valid")
        for vector in vectors {
            let type = try #require(vector.type, "\(vector.label)")
            try check(type, vector)
        }
        let covered = Set(vectors.compactMap { $0.type?.messageName })
        #expect(covered.count == allMessages.count)
    }

    private func check<M: Sampled>(_ type: M.Type, _ vector: WireVector) throws {
        let label = Comment(rawValue: "\(vector.label): \(vector.about)")
        let bytes = try #require(vector.bytes("hex"), label)
        let canonical = vector.bytes("canonical_hex") ?? bytes
        let decoded = try M.decode(bytes, limits: .media)
        #expect(decoded.message.serialized() == canonical, label)
        #expect(decoded.message.encodedSize == canonical.count, label)
        #expect(decoded.unknownFields == vector.integer("unknown_fields"), label)

        let expected = try #require(vector.content["json"], label)
        let own = decoded.message.serializedJSON()
        let parsed = try JSONSerialization.jsonObject(with: Data(own))
        #expect(roundedJSON(parsed) == roundedJSON(expected), label)
        let text = try JSONSerialization.data(withJSONObject: expected)
        #expect(try M.decodeJSON(Array(text), limits: .media).message.serialized() == canonical, label)
        if let text = vector.text("json_text") {
            let decoded = try M.decodeJSON(Array(text.utf8))
            #expect(decoded.message.serialized() == canonical, label)
            #expect(decoded.unknownFields == vector.integer("unknown_json_members"), label)
        }
    }

    @Test
    func invalidVectors() throws {
        for vector in try WireVector.all(in: "invalid") {
            let type = try #require(vector.type, "\(vector.label)")
            let label = Comment(rawValue: "\(vector.label): \(vector.about)")
            do throws(WireError) {
                try refuse(type, vector)
                Issue.record(label)
            } catch {
                #expect(error.fault.name == vector.text("fault"), label)
                #expect(error.path == vector.text("path"), label)
                #expect(error.offset == vector.integer("offset"), label)
                #expect(Int(error.errorCode.rawValue) == vector.integer("code"), label)
            }
        }
    }

    private func refuse<M: Sampled>(_ type: M.Type, _ vector: WireVector) throws(WireError) {
        if let text = vector.text("text") {
            var limits = vector.limits
            if vector.content["limits"] != nil { limits.maxJSONBytes = 4 * limits.maxMessageBytes }
            _ = try M.decodeJSON(Array(text.utf8), limits: limits)
        } else {
            _ = try M.decode(vector.bytes("hex") ?? [], limits: vector.limits)
        }
    }
}
