import BridgeAI
import Testing

/// J and Z: paths of a fingertip, drawn by a made-up hand.
@Suite struct LetterDecoderMotionTests {
    static let pathJ: [(Float, Float)] = [
        (0, 0), (0, 0.5), (0, 1), (-0.08, 1.22), (-0.3, 1.32), (-0.55, 1.22), (-0.62, 1.05),
    ]
    static let pathZ: [(Float, Float)] = [(0, 0), (1, 0), (0.05, 0.85), (1, 0.9)]

    /// Holds `letter`, draws `path` with both fingertips in `seconds`, holds again.
    static func draw(
        _ letter: Character, _ path: [(Float, Float)], size: Float, turn: Float, seconds: Double, fps: UInt64
    ) -> SpelledStream {
        var stream = SpelledStream(framesPerSecond: fps)
        func point(_ share: Float) -> PlanePoint {
            let place = min(share, 0.9999) * Float(path.count - 1)
            let (a, b, part) = (path[Int(place)], path[Int(place) + 1], place - place.rounded(.down))
            let (x, y) = (a.0 + part * (b.0 - a.0), a.1 + part * (b.1 - a.1))
            return PlanePoint(x: size * (x - turn * y), y: size * (y + turn * x))
        }
        func show(_ share: Float, moving: Bool) {
            stream.observe(
                .scores(SpelledStream.scores([(letter, 0.9)])),
                HandMotion(
                    wrist: point(share), indexTip: point(share), littleTip: point(share),
                    shapeSpeed: moving ? 1.5 : 0.1, travelSpeed: moving ? 5 : 0))
        }
        let still = Int(fps) / 4
        for _ in 0..<still { show(0, moving: false) }
        let moving = max(2, Int((seconds * Double(fps)).rounded()))
        for frame in 1...moving { show(Float(frame) / Float(moving), moving: true) }
        for _ in 0..<2 * still { show(1, moving: false) }
        return stream
    }

    @Test(arguments: LetterDecoderTests.rates) func aHookMakesAJOfAnI(_ fps: UInt64) {
        for size: Float in [0.6, 1, 2] {
            for turn: Float in [-0.25, 0, 0.25] {
                let stream = Self.draw("I", Self.pathJ, size: size, turn: turn, seconds: 0.5, fps: fps)
                #expect(stream.text == "J", "size \(size), turn \(turn)")
                #expect(stream.commits.last?.kind == .motion)
            }
        }
    }

    @Test(arguments: LetterDecoderTests.rates) func aZigzagMakesAZOfAD(_ fps: UInt64) {
        for size: Float in [0.5, 1, 2] {
            for turn: Float in [-0.25, 0, 0.25] {
                let stream = Self.draw("D", Self.pathZ, size: size, turn: turn, seconds: 0.7, fps: fps)
                #expect(stream.text == "Z", "size \(size), turn \(turn)")
            }
        }
    }

    @Test func theWithdrawnLetterIsSaid() {
        let stream = Self.draw("I", Self.pathJ, size: 1, turn: 0, seconds: 0.5, fps: 30)
        #expect(stream.commits.map { $0.letter.character } == ["I", "J"])
        #expect(stream.commits.map(\.replaces) == [0, 1])
        #expect(stream.commits.last?.alternatives.first?.letter == Letter("I"))
    }

    @Test(arguments: LetterDecoderTests.rates) func anIHeldIsNoJ(_ fps: UInt64) {
        var stream = SpelledStream(framesPerSecond: fps)
        for _ in 0..<2 * fps {
            stream.observe(
                .scores(SpelledStream.scores([("I", 0.5), ("J", 0.4)])), HandMotion(shapeSpeed: 0.2))
        }
        #expect(stream.text == "I")
    }

    @Test(
        arguments: [
            // Slides aside, a bounce, a fall, a rise: no J and no Z.
            [(0, 0), (0.8, 0)], [(0, 0), (-0.8, 0.1)], [(0, 0), (0, 0.5), (0, 0)], [(0, 0), (0, 2)],
            [(0, 0), (0.3, -1)],
        ] as [[(Float, Float)]]) func otherPathsDrawNoLetter(_ path: [(Float, Float)])
    {
        for letter: Character in ["I", "D"] {
            let stream = Self.draw(letter, path, size: 1, turn: 0, seconds: 0.3, fps: 30)
            #expect(!stream.text.contains("J") && !stream.text.contains("Z"), "\(letter) \(path)")
        }
    }

    @Test func theShapeDecidesWhatAPathMeans() {
        let stream = Self.draw("B", Self.pathJ, size: 1, turn: 0, seconds: 0.5, fps: 30)
        #expect(!stream.text.contains("J"))
        let other = Self.draw("A", Self.pathZ, size: 1, turn: 0, seconds: 0.5, fps: 30)
        #expect(!other.text.contains("Z"))
    }
}
