/// The true sample rate of a stream, from how many samples arrived against when they were captured.
///
/// Keeps up to 128 points (sample index, capture time), at least 100 ms apart. The estimate is the median of the
/// slopes between points half of the span apart (Theil and Sen's idea): late or early stamps move it little. A pause
/// of the source (a stamp that jumps ahead of the samples) or a clock that runs backwards starts the measurement
/// afresh.
public struct RateEstimator: Sendable {
    /// Measured rate with its doubt.
    public struct Estimate: Equatable, Sendable {
        /// Samples per second.
        public var rateHz: Double
        /// About one standard deviation, in samples per second.
        public var uncertaintyHz: Double
        /// Time over which it was measured.
        public var spanUs: UInt64
    }

    private struct Point: Sendable {
        var sample: Double
        var timeUs: UInt64
    }

    private static let maxPoints = 128
    private static let minSpacingUs: UInt64 = 100_000
    /// Up to so many points each new one is measured.
    private static let everyPoint = 32
    /// No estimate from less: the stamps of a phone jitter by some 10 ms.
    private static let minSpanUs: UInt64 = 1_000_000
    /// Jitter of capture stamps assumed where the points cannot show it.
    private static let assumedJitterUs = 40_000.0
    /// A stamp this much later than the samples explain is a pause of the source.
    private static let pauseUs = 500_000.0

    /// What the stream says its rate is.
    public let declaredRateHz: Double
    /// Times the capture clock ran backwards or paused.
    public private(set) var clockJumps: UInt64 = 0
    private var points: [Point] = []
    private var unmeasured = 0
    private var pausedBefore = false
    private var cached: Estimate?

    /// An estimator for a stream that declares a rate.
    public init(declaredRateHz: Int) { self.declaredRateHz = Double(max(1, declaredRateHz)) }

    /// Notes that the sample `firstSampleIndex` was captured at `captureUs` on the device's monotonic clock.
    public mutating func note(firstSampleIndex: UInt64, captureUs: UInt64) {
        let point = Point(sample: Double(firstSampleIndex), timeUs: captureUs)
        guard let last = points.last else {
            points = [point]
            return
        }
        let ranBack = captureUs < last.timeUs && last.timeUs - captureUs > UInt64(Self.pauseUs)
        guard !ranBack, point.sample >= last.sample else {
            clockJumps += 1
            restart(at: point)
            return
        }
        // Small steps back are jitter of short chunks; the next stamp will do.
        guard captureUs >= last.timeUs else { return }
        let elapsed = captureUs - last.timeUs
        if elapsed < Self.minSpacingUs && point.sample - last.sample < 2 * declaredRateHz { return }
        // Before there is an estimate, the declared rate says how long the samples last.
        if cached == nil || points.count >= 8 {
            let explained = (point.sample - last.sample) / (cached?.rateHz ?? declaredRateHz) * 1e6
            if Double(elapsed) > explained + Self.pauseUs, !pausedBefore {
                clockJumps += 1
                pausedBefore = true
                restart(at: point)
                return
            }
        }
        points.append(point)
        if points.count > Self.maxPoints { points.removeFirst() }
        // Of many points, one more says little.
        unmeasured += 1
        if points.count <= Self.everyPoint || unmeasured >= 4 {
            cached = measure()
            unmeasured = 0
        }
        // A source much slower than declared looks like one pause after another until it is measured.
        if cached != nil { pausedBefore = false }
    }

    /// The estimate, or nil before a second of stamps was seen.
    public var estimate: Estimate? { cached }

    /// How the measured rate contradicts the declared one (measured / declared), or nil while it does not. A
    /// difference counts when it exceeds 4 % and three times the doubt.
    public var mismatchRatio: Double? {
        guard let cached else { return nil }
        let ratio = cached.rateHz / declaredRateHz
        let doubt = 3 * cached.uncertaintyHz / declaredRateHz
        return abs(ratio - 1) > max(0.04, doubt) ? ratio : nil
    }

    private mutating func restart(at point: Point) {
        points = [point]
        // The last estimate stands until a new one is possible.
    }

    private func measure() -> Estimate? {
        guard let first = points.first, let last = points.last else { return cached }
        let span = last.timeUs - first.timeUs
        guard span >= Self.minSpanUs, points.count >= 2 else { return cached }
        let half = points.count / 2
        var slopes: [Double] = []
        slopes.reserveCapacity(points.count - half)
        for i in 0..<(points.count - half) where points[i + half].timeUs > points[i].timeUs {
            let time = Double(points[i + half].timeUs - points[i].timeUs) / 1e6
            slopes.append((points[i + half].sample - points[i].sample) / time)
        }
        guard !slopes.isEmpty else { return cached }
        let rate = Self.median(&slopes)
        var deviations = slopes.map { abs($0 - rate) }
        let spread = 1.4826 * Self.median(&deviations) / Double(slopes.count).squareRoot()
        let floor = rate * Self.assumedJitterUs * 2 / (Double(span) * Double(slopes.count).squareRoot())
        return Estimate(rateHz: rate, uncertaintyHz: max(spread, floor), spanUs: span)
    }

    private static func median(_ values: inout [Double]) -> Double {
        values.sort()
        let middle = values.count / 2
        return values.count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
    }
}
