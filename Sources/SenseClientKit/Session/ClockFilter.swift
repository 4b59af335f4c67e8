/// The server's clock seen from here, by the exchange of NTP (RFC 5905 section 8): four times a measurement, the one
/// with the shortest round trip is trusted most, and two good ones far apart show how the clocks drift.
public struct ClockFilter: Sendable, Equatable {
    /// One measurement.
    struct Sample: Sendable, Equatable {
        /// Local time in the middle of the exchange, µs.
        var localUs: UInt64
        /// Server time minus local time, µs.
        var offsetUs: Int64
        /// Round trip without the server's own time, µs.
        var roundTripUs: UInt64
    }

    private var samples: [Sample] = []
    private let capacity: Int
    /// Two clocks without a measured drift may part by this much: the worst of common crystals, twice.
    static let unknownDriftPPM = 50.0
    /// A drift beyond this is no crystal but a fault of the measurement.
    static let maxDriftPPM = 500.0
    /// Distance of two measurements from which a drift is told.
    static let driftBaselineUs: UInt64 = 20_000_000

    /// - Parameter capacity: measurements kept.
    public init(capacity: Int = 16) { self.capacity = max(2, capacity) }

    /// Whether anything was measured yet.
    public var isSet: Bool { !samples.isEmpty }

    /// Takes one exchange: sent here, received there, sent there, received here, all µs. Impossible ones are left out.
    public mutating func add(
        sentUs: UInt64, serverReceivedUs: UInt64, serverSentUs: UInt64, receivedUs: UInt64
    ) {
        // Half the range keeps the differences below free of overflow, whatever a server claims.
        let limit = UInt64.max / 4
        guard receivedUs >= sentUs, serverSentUs >= serverReceivedUs,
            [receivedUs, serverSentUs].allSatisfy({ $0 < limit })
        else { return }
        let away = receivedUs - sentUs
        let there = serverSentUs - serverReceivedUs
        guard there <= away else { return }
        let offset =
            (Int64(serverReceivedUs) - Int64(sentUs) + Int64(serverSentUs) - Int64(receivedUs)) / 2
        if samples.count == capacity { samples.removeFirst() }
        samples.append(Sample(localUs: sentUs + away / 2, offsetUs: offset, roundTripUs: away - there))
    }

    /// How fast the server's clock gains on ours, parts in a million; 0 until two measurements tell.
    public var driftPPM: Double { drift?.ppm ?? 0 }

    private var drift: (ppm: Double, uncertainty: Double)? {
        var found: (ppm: Double, uncertainty: Double)?
        for (i, late) in samples.enumerated() {
            for early in samples[..<i] {
                guard late.localUs > early.localUs, late.localUs - early.localUs >= Self.driftBaselineUs
                else { continue }
                let span = Double(late.localUs - early.localUs)
                let ppm = Double(late.offsetUs - early.offsetUs) / span * 1e6
                let uncertainty = Double(late.roundTripUs + early.roundTripUs) / 2 / span * 1e6
                if abs(ppm) <= Self.maxDriftPPM, uncertainty < found?.uncertainty ?? Self.unknownDriftPPM {
                    found = (ppm, uncertainty)
                }
            }
        }
        return found
    }

    /// The server's clock at a local time, µs; nil before the first measurement.
    public func serverUs(atLocalUs local: UInt64) -> UInt64? {
        guard let best = best(at: local) else { return nil }
        let elapsed = Double(local) - Double(best.localUs)
        let server = Double(local) + Double(best.offsetUs) + elapsed * driftPPM / 1e6
        return server > 0 ? UInt64(server) : 0
    }

    /// How far off `serverUs` may be, µs; nil before the first measurement.
    public func uncertaintyUs(atLocalUs local: UInt64) -> UInt64? {
        best(at: local).map { UInt64(doubt($0, at: local)) }
    }

    private func best(at local: UInt64) -> Sample? {
        samples.min { doubt($0, at: local) < doubt($1, at: local) }
    }

    private func doubt(_ sample: Sample, at local: UInt64) -> Double {
        let age = abs(Double(local) - Double(sample.localUs))
        return Double(sample.roundTripUs) / 2 + age * (drift?.uncertainty ?? Self.unknownDriftPPM) / 1e6
    }
}
