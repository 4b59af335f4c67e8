import SenseProtocol

extension HandSequence {
    /// Reads the CSV form: columns by name, so that their order does not matter.
    init(csv content: [UInt8], path: String) throws(LocalFileError) {
        var lines = content.split(separator: 0x0a, omittingEmptySubsequences: true)[...]
        func damaged(_ place: String, _ expected: String, _ got: String) -> LocalFileError {
            .damaged(path: path, place: place, expected: expected, got: got)
        }
        guard let head = lines.popFirst() else { throw damaged("line 1", "a head line", "an empty file") }
        let names = Self.cells(head)
        var columns: [Int] = []
        for landmark in 0..<21 {
            for axis in ["x", "y", "z"] {
                guard let column = names.firstIndex(of: "\(axis)\(landmark)") else {
                    if axis == "z" {
                        columns.append(-1)
                        continue
                    }
                    throw damaged(
                        "line 1", "a column \(axis)\(landmark)", "\(names.count) columns without it")
                }
                columns.append(column)
            }
        }
        let labelColumn = names.firstIndex(of: "label")
        let handColumn = names.firstIndex(of: "handedness")
        guard lines.count <= Limits.maxFrames else {
            throw damaged("rows", "at most \(Limits.maxFrames)", "\(lines.count)")
        }
        var frames: [Frame] = []
        frames.reserveCapacity(lines.count)
        for (index, line) in lines.enumerated() {
            let cells = Self.cells(line)
            guard cells.count == names.count else {
                throw damaged("line \(index + 2)", "\(names.count) columns", "\(cells.count)")
            }
            var points: [Float] = []
            points.reserveCapacity(Limits.numbers)
            for column in columns {
                guard column >= 0 else {
                    points.append(0)
                    continue
                }
                guard let value = Float(cells[column]), Self.isAcceptable(value) else {
                    throw damaged(
                        "line \(index + 2), column \(names[column])", "a finite number",
                        String(cells[column].prefix(20)))
                }
                points.append(value)
            }
            frames.append(
                Frame(
                    points: points, handedness: handColumn.map { Self.handedness(cells[$0]) } ?? .unspecified,
                    label: labelColumn.map { String(cells[$0].prefix(64)) } ?? ""))
        }
        self.init(frames: frames)
    }

    private static func cells(_ line: ArraySlice<UInt8>) -> [String] {
        var line = line
        if line.last == 0x0d { line.removeLast() }
        return line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
