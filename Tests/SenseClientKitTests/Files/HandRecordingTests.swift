import SenseProtocol
import Testing

@testable import SenseClientKit

struct HandRecordingTests {
    static let points = (0..<63).map { Float($0) / 64 - 0.3 }

    static func recording(_ format: HandFormat, _ frames: [(HandSequence.Frame, UInt64)]) -> [UInt8] {
        Array(
            (HandRecording.headLine(format) + frames.map { HandRecording.frameLine($0, us: $1) }.joined())
                .utf8)
    }

    @Test func whatIsRecordedComesBackWithItsTimes() throws {
        let format = HandFormat(
            producer: .appleVision, mirrored: true, yAxis: .up, imageWidth: 1280, imageHeight: 720,
            hasZ: false)
        let frames: [(HandSequence.Frame, UInt64)] = [
            (HandSequence.Frame(points: Self.points, handedness: .left), 5_000_000),
            (HandSequence.Frame(points: nil), 5_041_000),
            (HandSequence.Frame(points: Self.points), 5_042_000),
        ]
        let read = try HandRecording.read(Self.recording(format, frames), path: "r")
        #expect(read.format == format)
        #expect(read.frames.map(\.points) == frames.map(\.0.points))
        #expect(read.frames.map(\.handedness) == [.left, .unspecified, .unspecified])
        #expect(read.frames.map(\.offsetUs) == [0, 41_000, 42_000])
    }

    @Test func aFileIsRecognisedByItsFirstLine() throws {
        let folder = try ScratchFolder()
        let path = try folder.file(
            "r.jsonl",
            Self.recording(
                HandFormat(producer: .raw, hasZ: true), [(HandSequence.Frame(points: Self.points), 1)]))
        let sequence = try HandSequence(path: path)
        #expect(sequence.format?.producer == .raw)
        #expect(sequence.frames.count == 1)
    }

    @Test func theLastLineMayBeCutOff() throws {
        let whole = Self.recording(
            HandFormat(producer: .mediapipe, hasZ: true),
            [(HandSequence.Frame(points: Self.points), 1), (HandSequence.Frame(points: Self.points), 2)])
        #expect(try HandRecording.read(Array(whole.dropLast(30)), path: "r").frames.count == 1)
    }

    @Test(arguments: [
        ("{\"us\":1,\"points\":[1,2,3]}", "63 finite numbers or null"), ("{\"points\":null}", "us"),
        ("nonsense", "a JSON object with us and points"),
        ("{\"us\":-1,\"points\":null}", "a JSON object with us and points"),
        ("{\"sense_hands\":2}", "sense_hands 1"), ("{\"sense_hands\":1,\"y\":\"left\"}", "y up or down"),
    ]) func badLinesAreNamed(line: String, expected: String) {
        #expect(throws: HandLineError.self) { try HandRecording.item(Array(line.utf8)) }
        do throws(HandLineError) {
            _ = try HandRecording.item(Array(line.utf8))
        } catch {
            #expect(error.expected == expected)
        }
    }

    @Test func clocksThatStepBackCountAsZero() throws {
        let read = try HandRecording.read(
            Self.recording(
                HandFormat(producer: .mediapipe, hasZ: true),
                [(HandSequence.Frame(points: nil), 900), (HandSequence.Frame(points: nil), 100)]), path: "r")
        #expect(read.frames.map(\.offsetUs) == [0, 0])
    }
}

struct EditDistanceTests {
    @Test(arguments: [
        ("", "", 0), ("A", "", 1), ("", "AB", 2), ("HELO", "HELLO", 1), ("KITTEN", "SITTING", 3),
    ])
    func counts(a: String, b: String, edits: Int) {
        #expect(editDistance(Array(a), Array(b)) == edits)
        #expect(editDistance(Array(b), Array(a)) == edits)
    }
}

struct HandSetManifestTests {
    @Test func isFoundBesideOrAbove() throws {
        let folder = try ScratchFolder()
        let json =
            #"{"a": {"mirror_all_if_unknown": true, "aspect_w_over_h": "1.5"}, "b": {"aspect_w_over_h": "unknown"}}"#
        _ = try folder.file("manifest.json", json)
        #expect(
            try HandSetManifest(besides: folder.path + "/a.csv.gz")["a"]
                == HandSetManifest.Entry(unknownHandIsLeft: true, aspect: 1.5))
        let manifest = try HandSetManifest(besides: folder.path + "/train/a.csv.gz")
        #expect(manifest["x/a.csv.gz"] == HandSetManifest.Entry(unknownHandIsLeft: true, aspect: 1.5))
        #expect(manifest["b.csv"] == HandSetManifest.Entry())
        #expect(manifest["c.csv"] == HandSetManifest.Entry())
    }

    @Test func aDamagedOneIsNamed() throws {
        let folder = try ScratchFolder()
        _ = try folder.file("manifest.json", "[1]")
        #expect(throws: LocalFileError.self) { try HandSetManifest(besides: folder.path + "/a.csv") }
    }
}
