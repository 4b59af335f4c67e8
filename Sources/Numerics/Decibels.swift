/// Conversions between amplitudes, powers and decibels.
///
/// 0 dBFS is an amplitude of 1: a full-scale square wave reads 0 dBFS, a full-scale sine −3.01 dBFS RMS.
public enum Decibels {
    /// Reported for digital silence instead of −∞.
    public static let floorDBFS: Float = -120

    /// Decibels of a mean square, not below ``floorDBFS``; NaN reads as the floor.
    public static func fromPower(_ meanSquare: Double) -> Float {
        guard meanSquare > 1e-12 else { return floorDBFS }
        return Float(10 * Elementary.log10(meanSquare))
    }

    /// Decibels of an amplitude, not below ``floorDBFS``.
    public static func fromAmplitude(_ amplitude: Float) -> Float {
        fromPower(Double(amplitude) * Double(amplitude))
    }

    /// Amplitude of a level in decibels.
    public static func toAmplitude(_ decibels: Double) -> Double {
        Elementary.pow(10, decibels / 20)
    }
}
