/// The last two seconds of both fingertips that draw letters, and the search for a J or a Z in them.
///
/// A J is a path of the little fingertip that begins and ends in the shape of I, a Z one of the index fingertip that begins and
/// ends pointing. Between, the shape may be anything: a moving hand is blurred. 64 samples, 28 bytes each.
struct MotionTrail: Equatable, Sendable {
    /// Samples kept, at most one in `sampleUs`: two seconds.
    static let capacity = 64
    static let heapBytes = capacity * MemoryLayout<Sample>.stride
    /// Least time between two samples.
    static let sampleUs: UInt64 = 30_000
    /// Duration of a drawn letter.
    static let durationUs: ClosedRange<UInt64> = 130_000...1_900_000
    /// Least probability of the letter's shape where the path begins, where it ends, and on average: a moving hand is
    /// blurred, but another letter on the way is another letter.
    static let leastShape: Float = 0.4
    /// Speed, palm lengths a second, that a fingertip must have reached since the last search.
    static let drawingSpeed: Float = 1.6
    /// A fingertip slower than this share of its top speed has arrived.
    static let arrivedShare: Float = 0.5

    /// A letter drawn.
    struct Found: Equatable, Sendable {
        let letter: Letter
        /// 0…1.
        let likeness: Float
        let startUs: UInt64
        let startFrame: UInt64
    }

    private struct Sample: Equatable, Sendable {
        var timeUs: UInt64 = 0
        var frame: UInt64 = 0
        var index = PlanePoint()
        var little = PlanePoint()
        /// Probability of I or J, and of a pointing hand.
        var littleShape: Float = 0
        var indexShape: Float = 0
    }

    private var samples: [Sample] = []
    /// Place of the oldest sample once the ring is full.
    private var oldest = 0
    /// The fastest that each fingertip was since the last search.
    private var peaks: (little: Float, index: Float) = (0, 0)

    init() {}

    /// Forgets everything.
    mutating func clear() {
        samples.removeAll(keepingCapacity: true)
        oldest = 0
        peaks = (0, 0)
    }

    /// Takes a frame; a letter when one has just been drawn.
    mutating func add(
        _ motion: HandMotion, _ scores: LetterScores, frame: UInt64, timeUs: UInt64
    ) -> Found? {
        if let last = newest {
            if timeUs < last.timeUs || timeUs - last.timeUs > 400_000 { clear() }
        }
        var speeds: (little: Float, index: Float) = (0, 0)
        if let last = newest {
            guard timeUs - last.timeUs >= Self.sampleUs else { return nil }
            let perSecond = 1_000_000 / Float(timeUs - last.timeUs)
            speeds.little = (motion.littleTip - last.little).length * perSecond
            speeds.index = (motion.indexTip - last.index).length * perSecond
        }
        let shown = scores.letterProbability
        append(
            Sample(
                timeUs: timeUs, frame: frame, index: motion.indexTip, little: motion.littleTip,
                littleShape: shown * (scores[Self.i] + scores[Self.j] + 0.3 * scores[Self.y]),
                indexShape: shown
                    * (scores[Self.z] + scores[Self.d] + 0.5
                        * (scores[Self.x] + scores[Self.g] + scores[Self.l]))
            ))
        peaks.little = max(peaks.little, speeds.little)
        peaks.index = max(peaks.index, speeds.index)
        if peaks.little > Self.drawingSpeed, speeds.little < Self.arrivedShare * peaks.little {
            peaks.little = speeds.little
            if let found = search(StrokeShape.lettersJ, Self.j, timeUs) { return found }
        }
        if peaks.index > Self.drawingSpeed, speeds.index < Self.arrivedShare * peaks.index {
            peaks.index = speeds.index
            if let found = search(StrokeShape.lettersZ, Self.z, timeUs) { return found }
        }
        return nil
    }

    private static let (d, g, i, j, l, x, y, z) = (3, 6, 8, 9, 11, 23, 24, 25)

    private var newest: Sample? {
        samples.count < Self.capacity ? samples.last : samples[(oldest + Self.capacity - 1) % Self.capacity]
    }

    private mutating func append(_ sample: Sample) {
        if samples.count < Self.capacity {
            samples.append(sample)
        } else {
            samples[oldest] = sample
            oldest = (oldest + 1) % Self.capacity
        }
    }

    /// The best beginning of a path that ends now.
    private func search(_ templates: [StrokeShape], _ letter: Int, _ nowUs: UInt64) -> Found? {
        let isJ = letter == Self.j
        func at(_ place: Int) -> Sample { samples[(oldest + place) % samples.count] }
        func shape(_ sample: Sample) -> Float { isJ ? sample.littleShape : sample.indexShape }
        let count = samples.count
        // The hand still shows the shape.
        guard count > 3, max(shape(at(count - 1)), shape(at(count - 2))) > Self.leastShape,
            let drawn = Letter(index: letter)
        else { return nil }
        var best: Found?
        var path: [PlanePoint] = []
        var shapes: Float = 0
        path.reserveCapacity(count)
        for place in stride(from: count - 1, through: 0, by: -1) {
            let sample = at(place)
            path.append(isJ ? sample.little : sample.index)
            shapes += shape(sample)
            let duration = nowUs - sample.timeUs
            guard duration <= Self.durationUs.upperBound else { break }
            guard duration >= Self.durationUs.lowerBound, shape(sample) > Self.leastShape,
                shapes > Self.leastShape * Float(path.count),
                Self.isLarge(path, isJ: isJ), let shape = StrokeShape(path.reversed())
            else { continue }
            for template in templates {
                let likeness = shape.likeness(to: template)
                if likeness > (best?.likeness ?? (isJ ? 0.88 : 0.87)) {
                    best = Found(
                        letter: drawn, likeness: likeness, startUs: sample.timeUs, startFrame: sample.frame)
                }
            }
        }
        return best
    }

    /// Whether a path (newest first) is large enough to be meant.
    private static func isLarge(_ path: [PlanePoint], isJ: Bool) -> Bool {
        var (low, high) = (path[0], path[0])
        for point in path {
            low = PlanePoint(x: min(low.x, point.x), y: min(low.y, point.y))
            high = PlanePoint(x: max(high.x, point.x), y: max(high.y, point.y))
        }
        return isJ
            ? high.y - low.y > 0.45 && high.x - low.x > 0.12 : high.x - low.x > 0.3 && high.y - low.y > 0.15
    }

    static func == (left: MotionTrail, right: MotionTrail) -> Bool {
        left.samples == right.samples && left.oldest == right.oldest && left.peaks == right.peaks
    }
}
