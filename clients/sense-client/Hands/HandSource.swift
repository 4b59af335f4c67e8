import SenseClientKit
import SenseProtocol

/// Where `sign` and `calibrate` take landmarks from: a file, or lines of JSON of a live detector on standard input.
final class HandSource {
    /// One frame and when it is due, seconds after the first.
    struct Due {
        var frame: HandSequence.Frame
        var seconds: Double
    }

    /// What the source says of its coordinates; nil = nothing.
    private(set) var declared: HandFormat?
    /// Width over height of the picture, where that is all that is known.
    private(set) var aspect: Double?
    /// Frames of a file; nil for standard input.
    let count: Int?
    /// Frames a second, where the frames themselves do not say when they are due.
    let framesPerSecond: Double
    /// Frames come at their own speed.
    let isLive: Bool
    private var frames: [HandSequence.Frame] = []
    private var nextIndex = 0
    private let hold: Int
    private let usesOwnTiming: Bool
    private var bytes: [UInt8] = []
    private var firstUs: UInt64?
    private var line = 0
    private var waiting: [Due] = []

    /// Opens `path`, `-` for standard input.
    /// - Parameters:
    ///   - fps: instead of what the file says.
    ///   - hold: times that each frame of a file is given.
    init(_ path: String, fps: Double?, hold: Int = 1) throws {
        self.hold = hold
        isLive = path == "-"
        guard !isLive else {
            count = nil
            framesPerSecond = 30
            usesOwnTiming = true
            return
        }
        let sequence = try HandSequence(path: path)
        frames = sequence.frames
        count = frames.count * hold
        declared = sequence.format
        aspect = sequence.aspect
        framesPerSecond = fps ?? sequence.framesPerSecond ?? 30
        usesOwnTiming = fps == nil && hold == 1 && frames.allSatisfy { $0.offsetUs != nil }
    }

    /// Reads what a live source says before its first frame.
    func begin(_ interrupt: Interrupt) async throws {
        guard isLive, waiting.isEmpty, declared == nil, let first = try await next(interrupt) else { return }
        waiting.append(first)
    }

    /// The next frame; nil at the end.
    func next(_ interrupt: Interrupt) async throws -> Due? {
        if let due = waiting.popLast() { return due }
        guard isLive else {
            guard nextIndex < frames.count * hold else { return nil }
            defer { nextIndex += 1 }
            let frame = frames[nextIndex / hold]
            let own = usesOwnTiming ? frame.offsetUs.map { Double($0) / 1e6 } : nil
            return Due(frame: frame, seconds: own ?? Double(nextIndex) / framesPerSecond)
        }
        while !interrupt.isWished {
            guard let text = try await nextLine(interrupt) else { return nil }
            line += 1
            guard !text.isEmpty else { continue }
            do throws(HandLineError) {
                switch try HandRecording.item(text) {
                case .format(let format): declared = format
                case .frame(let frame, let us):
                    let first = firstUs ?? us
                    firstUs = first
                    return Due(frame: frame, seconds: us >= first ? Double(us - first) / 1e6 : 0)
                }
            } catch {
                throw LocalFileError.damaged(
                    path: "standard input", place: "line \(line)", expected: error.expected, got: error.got)
            }
        }
        return nil
    }

    private func nextLine(_ interrupt: Interrupt) async throws -> [UInt8]? {
        while true {
            if let end = bytes.firstIndex(of: 0x0a) {
                defer { bytes.removeSubrange(...end) }
                return Array(bytes[..<end])
            }
            guard bytes.count <= HandRecording.maxLineBytes else {
                throw LocalFileError.damaged(
                    path: "standard input", place: "line \(line + 1)",
                    expected: "at most \(HandRecording.maxLineBytes) bytes", got: "more")
            }
            switch StandardStreams.readAvailable(atMost: 65_536) {
            case .bytes(let more): bytes += more
            case .nothing:
                if interrupt.isWished { return nil }
                try? await Task.sleep(for: .milliseconds(4))
            case .end:
                defer { bytes = [] }
                return bytes.isEmpty ? nil : bytes
            }
        }
    }
}
