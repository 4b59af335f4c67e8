import HarmoniAI
import TestSupport
import Testing

@Suite struct StemDataDecoderTests {
    @Test func readsTheOriginalFormat() throws {
        let song = try SongDocument().decoded()
        #expect(song.title == "Tone")
        #expect(song.fps == 43)
        #expect(song.totalFrames == 86)
        #expect(song.tempoBPM == 120.5)
        #expect(Stem.allCases.allSatisfy { song.energy($0).count == 86 })
        #expect(song.drums[17] == 0.07)
        #expect(song.marks[0] == [.beat, .drumOnset, .strongDrumOnset, .vocalOnset, .strongVocalOnset])
        #expect(song.marks[5] == [.drumOnset, .vocalOnset])
        #expect(song.marks[21] == .beat)
        #expect(song.marks[1] == [])
    }

    @Test func optionalFieldsMayBeAbsentOrNull() throws {
        var document = SongDocument()
        document.metadata["tempo_bpm"] = nil
        document.metadata["beat_frames"] = "null"
        document.set("drums", "onsets", nil)
        document.set("vocals", "strong_onsets", "null")
        document.metadata["added_later"] = "{\"x\": [1, 2]}"
        document.stems["guitar"] = ["energy": "[1]", "peak_energy": "1"]
        let song = try document.decoded()
        #expect(song.tempoBPM == nil)
        #expect(song.marks[0] == [.drumOnset, .strongDrumOnset, .vocalOnset])
    }

    @Test func equalNeighboursAndWholeDecimalsAreOnsets() throws {
        var document = SongDocument()
        document.set("drums", "onsets", "[3, 3, 4.0]")
        let song = try document.decoded()
        #expect(song.marks[3].contains(.drumOnset) && song.marks[4].contains(.drumOnset))
    }

    /// A stem on another scale is divided by its largest energy; the others keep theirs.
    @Test func largeEnergiesAreScaledByTheirPeak() throws {
        var document = SongDocument(frames: 4)
        document.set("drums", "onsets", "[]")
        document.set("vocals", "onsets", "[]")
        for stem in ["bass", "other"] { document.set(stem, "onsets", "[]") }
        document.set("drums", "energy", "[0, 10, 40, 20]")
        let song = try document.decoded()
        #expect(song.drums == [0, 0.25, 1, 0.5])
        #expect(song.bass == [0, 0.01, 0.02, 0.03])
    }

    @Test(arguments: [
        ("fps", "0", "metadata.fps"), ("fps", "-43", "metadata.fps"), ("fps", "1e300", "metadata.fps"),
        ("fps", "\"43\"", "metadata.fps"), ("fps", "NaN", "document"), ("fps", "1e999", "document"),
        ("total_frames", "0", "metadata.total_frames"), ("total_frames", "-1", "metadata.total_frames"),
        ("total_frames", "85.5", "metadata.total_frames"), ("total_frames", "1e12", "metadata.total_frames"),
        ("total_frames", "85", "stems.drums.energy"), ("total_frames", "87", "stems.drums.energy"),
        ("duration_seconds", "0", "metadata.duration_seconds"),
        ("duration_seconds", "-2", "metadata.duration_seconds"),
        ("duration_seconds", "60", "metadata.duration_seconds"),
        ("sample_rate", "0", "metadata.sample_rate"), ("sample_rate", "1e10", "metadata.sample_rate"),
        ("tempo_bpm", "0", "metadata.tempo_bpm"), ("tempo_bpm", "-120", "metadata.tempo_bpm"),
        ("tempo_bpm", "1000", "metadata.tempo_bpm"),
        ("beat_frames", "[0, 86]", "metadata.beat_frames[1]"),
        ("beat_frames", "[-1]", "metadata.beat_frames[0]"),
        ("beat_frames", "[5, 4]", "metadata.beat_frames[1]"),
        ("beat_frames", "[1.5]", "metadata.beat_frames[0]"), ("beat_frames", "{}", "metadata.beat_frames"),
        ("title", "7", "metadata.title"), ("title", "null", "metadata.title"),
    ]) func badMetadataIsNamed(_ key: String, _ value: String, _ field: String) {
        var document = SongDocument()
        document.metadata[key] = value
        let error = fault { _ = try document.decoded() }
        #expect(error?.field == field, "\(String(describing: error))")
        #expect(error?.description.hasPrefix(field) == true)
    }

    @Test(arguments: ["title", "duration_seconds", "sample_rate", "fps", "total_frames"])
    func missingMetadataIsNamed(_ key: String) {
        var document = SongDocument()
        document.metadata[key] = nil
        #expect(throws: HarmoniAIError.missing(field: "metadata.\(key)")) { try document.decoded() }
    }

    @Test(arguments: ["drums", "bass", "vocals", "other"]) func badStemIsNamed(_ stem: String) {
        var absent = SongDocument()
        absent.stems.removeValue(forKey: stem)
        #expect(throws: HarmoniAIError.missing(field: "stems.\(stem)")) { try absent.decoded() }
        var null = SongDocument()
        null.stems.updateValue(nil, forKey: stem)
        #expect(throws: HarmoniAIError.missing(field: "stems.\(stem)")) { try null.decoded() }
        for (key, value, path) in [
            ("energy", "[0.1]", "energy"), ("energy", "[]", "energy"), ("energy", "0.5", "energy"),
            ("peak_energy", "-1", "peak_energy"), ("peak_energy", "1e300", "peak_energy"),
            ("onsets", "[0, 86]", "onsets[1]"), ("onsets", "[9, 8]", "onsets[1]"),
            ("strong_onsets", "[1e30]", "strong_onsets[0]"), ("strong_onsets", "[\"a\"]", "strong_onsets[0]"),
        ] {
            var document = SongDocument()
            document.set(stem, key, value)
            let error = fault { _ = try document.decoded() }
            #expect(
                error?.field == "stems.\(stem).\(path)", "\(key) = \(value): \(String(describing: error))")
        }
        for key in ["energy", "peak_energy"] {
            var document = SongDocument()
            document.set(stem, key, nil)
            #expect(throws: HarmoniAIError.missing(field: "stems.\(stem).\(key)")) { try document.decoded() }
        }
        var negative = SongDocument()
        negative.set(stem, "energy", SongDocument.list((0..<86).map { $0 == 40 ? "-0.1" : "0.1" }))
        #expect(
            throws: HarmoniAIError.outOfRange(
                field: "stems.\(stem).energy[40]", value: "-0.1", accepted: "0.0 to 1000000.0")
        ) { try negative.decoded() }
    }

    @Test(arguments: [
        "", "7", "[]", "null", "\"song\"", "{}", "{\"metadata\": 3}", "{\"metadata\":{", "\u{0}",
    ])
    func otherDocumentsAreRefused(_ text: String) {
        #expect(fault { _ = try StemDataDecoder().decode(Array(text.utf8)) } != nil)
    }

    @Test func deepNestingIsRefused() {
        let deep = Array(String(repeating: "[", count: 100_000).utf8)
        #expect(fault { _ = try StemDataDecoder().decode(deep) } != nil)
        let inside = Array("{\"x\":".utf8) + deep
        #expect(fault { _ = try StemDataDecoder().decode(inside) } != nil)
    }

    @Test func sizeIsCheckedBeforeAnythingIsRead() {
        #expect(throws: HarmoniAIError.tooManyBytes(got: 2 << 30, limit: 16 << 20)) {
            try StemDataDecoder.check(announcedBytes: 2 << 30)
        }
        #expect(fault { try StemDataDecoder.check(announcedBytes: 0) }?.field == "document")
        #expect(fault { try StemDataDecoder.check(announcedBytes: 16 << 20) } == nil)
        let big = [UInt8](repeating: 32, count: (16 << 20) + 1)
        #expect(
            fault { _ = try StemDataDecoder().decode(big) }
                == .tooManyBytes(got: (16 << 20) + 1, limit: 16 << 20))
    }

    /// Damaged documents give an error or a song whose lists fit; they never trap.
    @Test func damagedDocumentsNeverTrap() {
        let good = SongDocument().bytes
        var random = SeededBytes(seed: 99)
        for _ in 0..<600 {
            var bytes = good
            for _ in 0..<3 {
                bytes[random.int(in: 0...bytes.count - 1)] = UInt8(truncatingIfNeeded: random.next())
            }
            guard let song = try? StemDataDecoder().decode(bytes) else { continue }
            #expect(song.marks.count == song.totalFrames && song.drums.count == song.totalFrames)
            #expect(song.drums.allSatisfy { (0...1).contains($0) })
        }
    }
}
