public import SenseProtocol

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A landmark sequence as lines of JSON: what a live detector writes to `sense-client sign -`, and what `--record` keeps.
///
/// The first line says what the coordinates mean, each further line is one frame:
///
///     {"sense_hands":1,"producer":"mediapipe","mirrored":false,"width":1280,"height":720,"has_z":true}
///     {"us":33333,"hand":"Right","points":[0.51,0.62,0.0, … 63 numbers]}
///     {"us":66667,"points":null}
///
/// `us` is the detector's clock in microseconds; `points` null is a frame without a hand. Lines are whole frames, so a
/// recording that was cut off loses its last line only.
public enum HandRecording {
    /// Bytes of one line: 63 numbers of 24 characters, with room.
    public static let maxLineBytes = 4096

    private struct Line: Decodable {
        var sense_hands: Int?
        var producer: String?
        var mirrored: Bool?
        var y: String?
        var width: UInt32?
        var height: UInt32?
        var has_z: Bool?
        var us: UInt64?
        var hand: String?
        var points: [Double]?
    }

    /// What one line says.
    public enum Item: Sendable, Equatable {
        /// The first line.
        case format(HandFormat)
        /// A frame and the detector's clock, µs.
        case frame(HandSequence.Frame, us: UInt64)
    }

    static let producers: KeyValuePairs<String, HandProducer> = [
        "mediapipe": .mediapipe, "mediapipe-true": .mediapipeTrue, "apple-vision": .appleVision, "raw": .raw,
    ]

    static func isRecording(_ content: [UInt8]) -> Bool {
        String(decoding: content.prefix(200), as: UTF8.self).hasPrefix("{\"sense_hands\"")
    }

    /// Reads one line.
    /// - Throws: a sentence that says what is wrong with it.
    public static func item(_ line: some Collection<UInt8>) throws(HandLineError) -> Item {
        guard line.count <= maxLineBytes else {
            throw HandLineError(expected: "at most \(maxLineBytes) bytes", got: "\(line.count)")
        }
        guard let read = try? JSONDecoder().decode(Line.self, from: Data(line)) else {
            throw HandLineError(expected: "a JSON object with us and points", got: "something else")
        }
        if read.sense_hands != nil { return .format(try format(read)) }
        guard let us = read.us else { throw HandLineError(expected: "us", got: "nothing") }
        let points = read.points.map { $0.map(Float.init) }
        if let points,
            points.count != HandSequence.Limits.numbers || !points.allSatisfy(HandSequence.isAcceptable)
        {
            throw HandLineError(
                expected: "\(HandSequence.Limits.numbers) finite numbers or null",
                got: "\(points.count) numbers")
        }
        return .frame(
            HandSequence.Frame(points: points, handedness: HandSequence.handedness(read.hand ?? "")), us: us)
    }

    private static func format(_ line: Line) throws(HandLineError) -> HandFormat {
        guard line.sense_hands == 1 else {
            throw HandLineError(expected: "sense_hands 1", got: "another version")
        }
        let name = line.producer ?? "mediapipe"
        guard let producer = producers.first(where: { $0.key == name })?.value else {
            throw HandLineError(
                expected: "a producer of \(producers.map(\.key))", got: String(name.prefix(32)))
        }
        let axis: YAxis
        switch line.y {
        case nil: axis = .unspecified
        case "up": axis = .up
        case "down": axis = .down
        default: throw HandLineError(expected: "y up or down", got: String((line.y ?? "").prefix(16)))
        }
        return HandFormat(
            producer: producer, mirrored: line.mirrored ?? false, yAxis: axis, imageWidth: line.width ?? 0,
            imageHeight: line.height ?? 0, hasZ: line.has_z ?? true)
    }

    /// The first line of a recording, with its end.
    public static func headLine(_ format: HandFormat) -> String {
        let producer = producers.first { $0.value == format.producer }?.key ?? "raw"
        let axis = format.yAxis == .up ? ",\"y\":\"up\"" : format.yAxis == .down ? ",\"y\":\"down\"" : ""
        return """
            {"sense_hands":1,"producer":"\(producer)","mirrored":\(format.mirrored)\(axis),\
            "width":\(format.imageWidth),"height":\(format.imageHeight),"has_z":\(format.hasZ)}

            """
    }

    /// One frame as a line, with its end.
    public static func frameLine(_ frame: HandSequence.Frame, us: UInt64) -> String {
        let hand =
            switch frame.handedness {
            case .left: ",\"hand\":\"Left\""
            case .right: ",\"hand\":\"Right\""
            case .unspecified, .unrecognized: ""
            }
        let points = frame.points.map { "[" + $0.map(\.description).joined(separator: ",") + "]" } ?? "null"
        return "{\"us\":\(us)\(hand),\"points\":\(points)}\n"
    }

    static func read(_ content: [UInt8], path: String) throws(LocalFileError) -> HandSequence {
        var frames: [HandSequence.Frame] = []
        var format: HandFormat?
        var firstUs: UInt64?
        let lines = content.split(separator: 0x0a)
        for (index, line) in lines.enumerated() {
            do throws(HandLineError) {
                switch try item(line) {
                case .format(let declared): format = declared
                case .frame(var frame, let us):
                    let first = firstUs ?? us
                    firstUs = first
                    frame.offsetUs = us >= first ? us - first : 0
                    frames.append(frame)
                }
            } catch {
                // A recording may end in the middle of a line.
                if index == lines.count - 1, content.last != 0x0a { break }
                throw .damaged(
                    path: path, place: "line \(index + 1)", expected: error.expected, got: error.got)
            }
            guard frames.count <= HandSequence.Limits.maxFrames else {
                throw .damaged(
                    path: path, place: "frames", expected: "at most \(HandSequence.Limits.maxFrames)",
                    got: "more")
            }
        }
        return HandSequence(frames: frames, format: format)
    }
}

/// What is wrong with a line of a hand recording.
public struct HandLineError: Error, Equatable, Sendable {
    /// What it should hold.
    public let expected: String
    /// What it holds.
    public let got: String
}
