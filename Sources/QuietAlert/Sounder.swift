/// What is known of the tones of sounders: a piezo at 2.3…4 kHz, whose overtones lie above all that is looked at, or
/// 520 Hz with its odd harmonics.
enum Sounder {
    private static let harmonicRatios: [Double] = [1, 3, 5, 7, 5.0 / 3, 7.0 / 3, 7.0 / 5]
    /// 520 Hz ± 10 % and 2.3…4 kHz, a little wider for drift and for what 43 Hz can tell.
    static let bands: [ClosedRange<Double>] = [462...577, 2_250...4_080]
    /// Whether two frequencies may be of one sounder: equal, or odd harmonics of one 520 Hz tone.
    static func isSame(_ a: Double, _ b: Double) -> Bool {
        let ratio = max(a, b) / min(a, b)
        return harmonicRatios.contains { abs(ratio / $0 - 1) <= 0.02 }
    }
}
