public import SenseProtocol
import WebSocketCore

/// Landmarks of one hand over time, read from a file.
///
/// Three forms are known, each also gzipped:
/// - CSV with a head line `label,handedness,x0,y0,z0,…,x20,y20,z20`, one frame a row;
/// - JSON `{"source", "label", "fps", "handedness", "image_aspect_w_over_h", "frames": [[63 numbers] | null, …]}`,
///   where null is a frame without a hand;
/// - a recording of `sense-client sign --record`: lines of JSON (`HandRecording`).
public struct HandSequence: Sendable, Equatable {
    /// One frame.
    public struct Frame: Sendable, Equatable {
        /// 63 finite numbers, x, y, z of 21 landmarks; nil = no hand was seen.
        public var points: [Float]?
        /// As the producer named the hand.
        public var handedness: Handedness
        /// What it shows, if the file says so; empty if not.
        public var label: String
        /// When it was taken, microseconds since the first frame; nil if the file does not say.
        public var offsetUs: UInt64?

        /// A frame as given; nothing is checked.
        public init(
            points: [Float]?, handedness: Handedness = .unspecified, label: String = "",
            offsetUs: UInt64? = nil
        ) {
            self.points = points
            self.handedness = handedness
            self.label = label
            self.offsetUs = offsetUs
        }
    }

    /// The frames in order.
    public var frames: [Frame]
    /// Frames a second; nil if the file does not say.
    public var framesPerSecond: Double?
    /// What the whole sequence spells; empty if the file does not say.
    public var label: String
    /// Width of the picture over its height; nil = coordinates have true proportions.
    public var aspect: Double?
    /// What the coordinates mean; nil if the file does not say.
    public var format: HandFormat?

    /// What is accepted.
    public enum Limits {
        /// Bytes of the file, and of its content when unzipped: an hour at 30 frames a second.
        public static let maxBytes = 64 << 20
        /// Frames of the file: two and a half hours at 120 a second.
        public static let maxFrames = 1 << 20
        /// Frames a second.
        public static let framesPerSecond = 1.0...120.0
        /// Width over height of a picture.
        public static let aspect = 0.1...10.0
        /// Numbers of one frame.
        public static let numbers = 63
        /// Largest coordinate: pixels of the largest picture.
        public static let maxCoordinate: Float = 100_000
    }

    /// Reads a file in either form.
    public init(path: String) throws(LocalFileError) {
        var content = try LocalFile.read(path, maxBytes: Limits.maxBytes)
        if Gzip.isGzip(content) {
            do throws(GzipError) {
                content = try Gzip.inflate(content, maxBytes: Limits.maxBytes)
            } catch {
                switch error {
                case .tooLarge(let maxBytes): throw .tooLarge(path: path, maxBytes: maxBytes)
                case .damaged, .noMemory:
                    throw .damaged(
                        path: path, place: "gzip", expected: "a whole gzip file", got: "a damaged or cut one")
                }
            }
        }
        let first = content.first { $0 != 0x20 && $0 != 0x0a && $0 != 0x0d && $0 != 0x09 }
        if HandRecording.isRecording(content) {
            self = try HandRecording.read(content, path: path)
        } else {
            self =
                try first == UInt8(ascii: "{")
                ? Self(json: content, path: path) : Self(csv: content, path: path)
        }
        guard !frames.isEmpty else {
            throw .damaged(path: path, place: "frames", expected: "at least one frame", got: "none")
        }
    }

    init(
        frames: [Frame], framesPerSecond: Double? = nil, label: String = "", aspect: Double? = nil,
        format: HandFormat? = nil
    ) {
        self.frames = frames
        self.framesPerSecond = framesPerSecond
        self.label = label
        self.aspect = aspect
        self.format = format
    }

    /// Left and right in any spelling; anything else is not known.
    static func handedness(_ text: some StringProtocol) -> Handedness {
        switch text.lowercased() {
        case "left", "l": .left
        case "right", "r": .right
        default: .unspecified
        }
    }

    static func isAcceptable(_ value: Float) -> Bool { value.isFinite && abs(value) <= Limits.maxCoordinate }
}
