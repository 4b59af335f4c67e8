import Synchronization

/// Counters of the server, for `/metrics` and the health page.
final class Metrics: Sendable {
    /// Upper bounds of the sound latency histogram, milliseconds.
    static let latencyBoundsMs: [Double] = [10, 25, 50, 100, 150, 250, 500, 1000, 2500]

    private let receivedMessages = Atomic<UInt64>(0)
    private let receivedBytes = Atomic<UInt64>(0)
    private let sentMessages = Atomic<UInt64>(0)
    private let sentBytes = Atomic<UInt64>(0)
    private let malformedMessages = Atomic<UInt64>(0)
    private let unknownFields = Atomic<UInt64>(0)
    private let welcomes = Atomic<UInt64>(0)
    private let refusals = Atomic<UInt64>(0)
    private let soundLatency = Mutex(
        (buckets: [UInt64](repeating: 0, count: latencyBoundsMs.count + 1), sumUs: UInt64(0)))

    func received(bytes: Int) {
        receivedMessages.wrappingAdd(1, ordering: .relaxed)
        receivedBytes.wrappingAdd(UInt64(bytes), ordering: .relaxed)
    }

    func sent(bytes: Int) {
        sentMessages.wrappingAdd(1, ordering: .relaxed)
        sentBytes.wrappingAdd(UInt64(bytes), ordering: .relaxed)
    }

    func malformed() { malformedMessages.wrappingAdd(1, ordering: .relaxed) }
    func skipped(_ unknown: UInt64) { unknownFields.wrappingAdd(unknown, ordering: .relaxed) }
    func welcomed() { welcomes.wrappingAdd(1, ordering: .relaxed) }
    func refusedHello() { refusals.wrappingAdd(1, ordering: .relaxed) }

    /// From a step's last sample to its scores.
    func soundScored(latencyUs: UInt64) {
        let ms = Double(latencyUs) / 1000
        let bucket = Self.latencyBoundsMs.firstIndex { ms <= $0 } ?? Self.latencyBoundsMs.count
        soundLatency.withLock {
            $0.buckets[bucket] += 1
            $0.sumUs &+= latencyUs
        }
    }

    /// The counters in Prometheus text format (version 0.0.4).
    func prometheusText() -> String {
        var text = ""
        func counter(_ name: String, _ help: String, _ value: UInt64) {
            text += "# HELP \(name) \(help)\n# TYPE \(name) counter\n\(name) \(value)\n"
        }
        counter(
            "sense_messages_received_total", "Messages from devices.",
            receivedMessages.load(ordering: .relaxed))
        counter(
            "sense_received_bytes_total", "Bytes of messages from devices.",
            receivedBytes.load(ordering: .relaxed))
        counter("sense_messages_sent_total", "Messages to devices.", sentMessages.load(ordering: .relaxed))
        counter("sense_sent_bytes_total", "Bytes of messages to devices.", sentBytes.load(ordering: .relaxed))
        counter(
            "sense_malformed_total", "Messages that could not be decoded.",
            malformedMessages.load(ordering: .relaxed))
        counter(
            "sense_unknown_fields_total", "Fields and messages skipped as unknown, of ended sessions.",
            unknownFields.load(ordering: .relaxed))
        counter("sense_welcomes_total", "Sessions that were let in.", welcomes.load(ordering: .relaxed))
        counter("sense_refusals_total", "Sessions that were not.", refusals.load(ordering: .relaxed))
        let (buckets, sumUs) = soundLatency.withLock { ($0.buckets, $0.sumUs) }
        let name = "sense_sound_window_seconds"
        text += "# HELP \(name) From a complete step of sound to its scores.\n# TYPE \(name) histogram\n"
        var total: UInt64 = 0
        for (index, bound) in Self.latencyBoundsMs.enumerated() {
            total += buckets[index]
            text += "\(name)_bucket{le=\"\(bound / 1000)\"} \(total)\n"
        }
        total += buckets[Self.latencyBoundsMs.count]
        text +=
            "\(name)_bucket{le=\"+Inf\"} \(total)\n\(name)_sum \(Double(sumUs) / 1e6)\n\(name)_count \(total)\n"
        return text
    }
}
