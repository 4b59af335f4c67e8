import SenseClientKit

/// Lets the seconds of a recording pass at a chosen speed.
struct Pacer {
    /// Seconds of media for each second of the clock; nil = without waiting.
    let speed: Double?
    private let start = ContinuousClock.now

    init(speed: Double?) { self.speed = speed }

    /// Waits until `mediaSeconds` of the recording are due; false once the program is to end.
    func wait(untilMedia mediaSeconds: Double, _ interrupt: Interrupt) async -> Bool {
        guard let speed else { return !interrupt.isWished }
        let due = start.advanced(by: .seconds(mediaSeconds / speed))
        while !interrupt.isWished {
            let left = ContinuousClock.now.duration(to: due)
            guard left > .zero else { return true }
            try? await Task.sleep(for: min(left, .milliseconds(200)))
        }
        return false
    }

    /// Reads `--speed X|max`.
    static func speed(_ arguments: Arguments) throws(UsageError) -> Double? {
        if arguments.text("--speed") == "max" { return nil }
        return try arguments.number("--speed", in: 0.1...1000.0) ?? 1
    }
}
