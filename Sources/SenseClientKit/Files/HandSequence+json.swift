import SenseProtocol

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HandSequence {
    private struct File: Decodable {
        var label: String?
        var fps: Double?
        var handedness: String?
        var image_aspect_w_over_h: Double?
        var frames: [[Double]?]
    }

    /// Reads the JSON form.
    init(json content: [UInt8], path: String) throws(LocalFileError) {
        func damaged(_ place: String, _ expected: String, _ got: String) -> LocalFileError {
            .damaged(path: path, place: place, expected: expected, got: got)
        }
        let file: File
        do {
            file = try JSONDecoder().decode(File.self, from: Data(content))
        } catch DecodingError.keyNotFound(let key, _) {
            throw damaged(key.stringValue, "a value", "nothing")
        } catch DecodingError.typeMismatch(let type, let context) {
            throw damaged(Self.place(context.codingPath), "a value of type \(type)", "another type")
        } catch DecodingError.valueNotFound(let type, let context) {
            throw damaged(Self.place(context.codingPath), "a value of type \(type)", "null")
        } catch {
            throw damaged("the file", "JSON of a landmark sequence", "something else")
        }
        if let fps = file.fps, !Limits.framesPerSecond.contains(fps) {
            throw damaged("fps", "1…120", "\(fps)")
        }
        if let aspect = file.image_aspect_w_over_h, !Limits.aspect.contains(aspect) {
            throw damaged("image_aspect_w_over_h", "0.1…10", "\(aspect)")
        }
        guard file.frames.count <= Limits.maxFrames else {
            throw damaged("frames", "at most \(Limits.maxFrames)", "\(file.frames.count)")
        }
        let hand = Self.handedness(file.handedness ?? "")
        var frames: [Frame] = []
        for (index, numbers) in file.frames.enumerated() {
            if let numbers, numbers.count != Limits.numbers {
                throw damaged(
                    "frames[\(index)]", "\(Limits.numbers) numbers or null", "\(numbers.count) numbers")
            }
            let points = numbers.map { $0.map(Float.init) }
            if let bad = points?.firstIndex(where: { !Self.isAcceptable($0) }) {
                throw damaged("frames[\(index)][\(bad)]", "a finite number", "\(points?[bad] ?? 0)")
            }
            frames.append(Frame(points: points, handedness: hand, label: ""))
        }
        self.init(
            frames: frames, framesPerSecond: file.fps, label: String((file.label ?? "").prefix(1024)),
            aspect: file.image_aspect_w_over_h)
    }

    private static func place(_ path: [any CodingKey]) -> String {
        path.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }.joined(separator: " ")
    }
}
