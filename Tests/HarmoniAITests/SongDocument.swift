import HarmoniAI

/// Stem data JSON for tests: a correct small song whose parts can be replaced.
struct SongDocument {
    var metadata: [String: String] = [
        "title": "\"Tone\"", "duration_seconds": "2.0", "sample_rate": "22050", "fps": "43",
        "total_frames": "86", "tempo_bpm": "120.5", "beat_frames": "[0, 21, 43, 64]",
    ]
    var stems: [String: [String: String]?] = [:]

    init(frames: Int = 86, fps: Double = 43) {
        metadata["total_frames"] = "\(frames)"
        metadata["fps"] = "\(fps)"
        metadata["duration_seconds"] = "\(Double(frames) / fps)"
        if frames < 65 { metadata["beat_frames"] = "[]" }
        for name in ["drums", "bass", "vocals", "other"] {
            stems[name] = [
                "energy": Self.list((0..<frames).map { "\(Double($0 % 10) / 100)" }), "onsets": "[0, 5]",
                "strong_onsets": "[0]", "peak_energy": "0.09",
            ]
        }
    }

    static func list(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }

    mutating func set(_ stem: String, _ field: String, _ value: String?) {
        var part = (stems[stem] ?? nil) ?? [:]
        part[field] = value
        stems[stem] = part
    }

    var bytes: [UInt8] {
        let parts = stems.map { name, part in "\"\(name)\":" + (part.map(Self.object) ?? "null") }
        return Array(
            "{\"metadata\":\(Self.object(metadata)),\"stems\":{\(parts.joined(separator: ","))}}".utf8)
    }

    private static func object(_ fields: [String: String]) -> String {
        "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    func decoded() throws -> StemData { try StemDataDecoder().decode(bytes) }
}

/// The error that `body` throws, as the module's own.
func fault(_ body: () throws -> Void) -> HarmoniAIError? {
    do { try body() } catch { return error as? HarmoniAIError }
    return nil
}
