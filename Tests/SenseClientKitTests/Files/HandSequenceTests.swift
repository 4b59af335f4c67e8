import SenseClientKit
import SenseProtocol
import Testing

@Suite struct HandSequenceTests {
    private static let head =
        "label,handedness," + (0..<21).map { "x\($0),y\($0),z\($0)" }.joined(separator: ",") + "\n"

    private static func row(_ label: String, _ hand: String, _ value: String = "0.5", count: Int = 63)
        -> String
    {
        "\(label),\(hand)," + [String](repeating: value, count: count).joined(separator: ",") + "\n"
    }

    private static func numbers(_ count: Int = 63, _ value: String = "0.25") -> String {
        "[" + [String](repeating: value, count: count).joined(separator: ",") + "]"
    }

    @Test func readsCSV() throws {
        let folder = try ScratchFolder()
        let path = try folder.file(
            "a.csv", Self.head + Self.row("A", "Left") + Self.row("B", "right", "-1e-3") + Self.row("C", "?"))
        let sequence = try HandSequence(path: path)
        #expect(sequence.frames.map(\.label) == ["A", "B", "C"])
        #expect(sequence.frames.map(\.handedness) == [.left, .right, .unspecified])
        #expect(sequence.frames[1].points == [Float](repeating: -0.001, count: 63))
        #expect(sequence.framesPerSecond == nil)
    }

    @Test func readsCSVWithoutDepthAndWithWindowsLineEnds() throws {
        let folder = try ScratchFolder()
        let head = "label," + (0..<21).map { "x\($0),y\($0)" }.joined(separator: ",") + "\r\n"
        let row = "Q," + [String](repeating: "2", count: 42).joined(separator: ",") + "\r\n"
        let sequence = try HandSequence(path: try folder.file("xy.csv", head + row))
        #expect(sequence.frames[0].points?[0...5] == [2, 2, 0, 2, 2, 0])
    }

    @Test func readsJSON() throws {
        let folder = try ScratchFolder()
        let path = try folder.file(
            "a.json",
            "{\"label\":\"HI\",\"fps\":25,\"handedness\":\"Right\",\"image_aspect_w_over_h\":1.5,\"frames\":[null,\(Self.numbers())]}"
        )
        let sequence = try HandSequence(path: path)
        #expect(sequence.label == "HI")
        #expect(sequence.framesPerSecond == 25)
        #expect(sequence.aspect == 1.5)
        #expect(sequence.frames.count == 2)
        #expect(sequence.frames[0].points == nil)
        #expect(sequence.frames[1].points == [Float](repeating: 0.25, count: 63))
        #expect(sequence.frames[1].handedness == .right)
    }

    /// `{"frames":[null]}` in one gzip member.
    private static let zipped: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 171, 86, 74, 43, 74, 204, 77, 45, 86, 178, 138, 206, 43, 205, 201,
        137, 173, 5, 0, 192, 244, 102, 49, 17, 0, 0, 0,
    ]

    @Test func readsGzip() throws {
        let folder = try ScratchFolder()
        let sequence = try HandSequence(path: try folder.file("a.json.gz", Self.zipped))
        #expect(sequence.frames == [HandSequence.Frame(points: nil, handedness: .unspecified, label: "")])
    }

    @Test func everyDamageOfGzipIsAnError() throws {
        for index in 0..<Self.zipped.count {
            let folder = try ScratchFolder()
            let cut = try folder.file("cut.gz", Array(Self.zipped[..<index]))
            #expect(throws: LocalFileError.self) { try HandSequence(path: cut) }
            // Bytes 4…9 are time, flags and system, which a reader ignores.
            guard !(4...9).contains(index) else { continue }
            var bytes = Self.zipped
            bytes[index] ^= 0x55
            let flipped = try folder.file("flip.gz", bytes)
            #expect(throws: LocalFileError.self) { try HandSequence(path: flipped) }
        }
    }

    private static let faults: [(String, String)] = [
        ("", "line 1"), ("label,x0\nA,1\n", "line 1"), (head, "frames"),
        (head + row("A", "Left", count: 60), "line 2"), (head + row("A", "Left", count: 64), "line 2"),
        (head + row("A", "Left", "nan"), "line 2, column x0"),
        (head + row("A", "Left", "inf"), "line 2, column x0"),
        (head + row("A", "Left", "1e9"), "line 2, column x0"),
        (head + row("A", "Left", ""), "line 2, column x0"),
        (head + row("A", "Left") + row("A", "Left", "x"), "line 3, column x0"),
        ("{", "the file"), ("{}", "frames"), ("{\"frames\":[]}", "frames"), ("{\"frames\":3}", "frames"),
        ("{\"frames\":[\(numbers(60))]}", "frames[0]"), ("{\"frames\":[null,\(numbers(64))]}", "frames[1]"),
        ("{\"frames\":[\(numbers(63, "1e300"))]}", "frames[0][0]"),
        ("{\"frames\":[null],\"fps\":0}", "fps"), ("{\"frames\":[null],\"fps\":-1}", "fps"),
        ("{\"frames\":[null],\"fps\":1e9}", "fps"),
        ("{\"frames\":[null],\"image_aspect_w_over_h\":0}", "image_aspect_w_over_h"),
    ]

    @Test(arguments: faults)
    func namesTheFault(content: String, place: String) throws {
        let folder = try ScratchFolder()
        let path = try folder.file("bad", content)
        do throws(LocalFileError) {
            _ = try HandSequence(path: path)
            Issue.record("accepted")
        } catch {
            guard case .damaged(_, let found, _, _) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(found == place)
        }
    }

    @Test func aFolderIsNoFile() throws {
        let folder = try ScratchFolder()
        #expect(throws: LocalFileError.isDirectory(path: folder.path)) { try HandSequence(path: folder.path) }
        #expect(throws: LocalFileError.notFound(path: "\(folder.path)/none")) {
            try HandSequence(path: "\(folder.path)/none")
        }
    }

    @Test func arbitraryBytesNeverTrap() throws {
        var random = SeededRandom(state: 11)
        let folder = try ScratchFolder()
        for length in 0..<120 {
            var bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
            if length % 3 == 0, length > 2 { bytes.replaceSubrange(0..<2, with: [0x1f, 0x8b]) }
            if length % 3 == 1, length > 0 { bytes[0] = UInt8(ascii: "{") }
            let path = try folder.file("noise-\(length)", bytes)
            #expect(throws: LocalFileError.self) { try HandSequence(path: path) }
        }
    }
}
