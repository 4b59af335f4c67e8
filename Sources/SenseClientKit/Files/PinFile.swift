#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The JSON form of `PinStore`.
struct PinFile: Codable {
    var servers: [String: PinStore.Server]
    var `default`: String?

    static func decode(_ content: [UInt8], path: String) throws(LocalFileError) -> PinFile {
        do {
            return try JSONDecoder().decode(PinFile.self, from: Data(content))
        } catch {
            throw .damaged(
                path: path, place: "the whole file", expected: "what sense-client wrote",
                got: "something else; mend or remove it")
        }
    }

    static func encode(_ store: PinStore) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        // Texts and numbers always have a JSON form.
        guard let data = try? encoder.encode(PinFile(servers: store.servers, default: store.defaultServer))
        else {
            return Array("{\"servers\": {}}\n".utf8)
        }
        return Array(data) + [0x0a]
    }
}
