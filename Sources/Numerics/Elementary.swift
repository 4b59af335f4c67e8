// The one file of the pure layers that imports the C mathematics library.
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// Elementary functions of the C mathematics library, under names that do not depend on the platform.
///
/// Results follow the platform's libm: the last bit may differ between systems.
public enum Elementary {
    /// Sine of an angle in radians.
    public static func sin(_ radians: Double) -> Double {
        #if canImport(Darwin)
            Darwin.sin(radians)
        #elseif canImport(Glibc)
            Glibc.sin(radians)
        #elseif canImport(Musl)
            Musl.sin(radians)
        #else
            Android.sin(radians)
        #endif
    }

    /// Cosine of an angle in radians.
    public static func cos(_ radians: Double) -> Double {
        #if canImport(Darwin)
            Darwin.cos(radians)
        #elseif canImport(Glibc)
            Glibc.cos(radians)
        #elseif canImport(Musl)
            Musl.cos(radians)
        #else
            Android.cos(radians)
        #endif
    }

    /// Arc tangent of y / x in the right quadrant, radians in −π…π.
    public static func atan2(_ y: Double, _ x: Double) -> Double {
        #if canImport(Darwin)
            Darwin.atan2(y, x)
        #elseif canImport(Glibc)
            Glibc.atan2(y, x)
        #elseif canImport(Musl)
            Musl.atan2(y, x)
        #else
            Android.atan2(y, x)
        #endif
    }

    /// e raised to `exponent`.
    public static func exp(_ exponent: Double) -> Double {
        #if canImport(Darwin)
            Darwin.exp(exponent)
        #elseif canImport(Glibc)
            Glibc.exp(exponent)
        #elseif canImport(Musl)
            Musl.exp(exponent)
        #else
            Android.exp(exponent)
        #endif
    }

    /// Natural logarithm; −∞ at 0, NaN below.
    public static func log(_ value: Double) -> Double {
        #if canImport(Darwin)
            Darwin.log(value)
        #elseif canImport(Glibc)
            Glibc.log(value)
        #elseif canImport(Musl)
            Musl.log(value)
        #else
            Android.log(value)
        #endif
    }

    /// Logarithm to base 10; −∞ at 0, NaN below.
    public static func log10(_ value: Double) -> Double {
        #if canImport(Darwin)
            Darwin.log10(value)
        #elseif canImport(Glibc)
            Glibc.log10(value)
        #elseif canImport(Musl)
            Musl.log10(value)
        #else
            Android.log10(value)
        #endif
    }

    /// `base` raised to `exponent`.
    public static func pow(_ base: Double, _ exponent: Double) -> Double {
        #if canImport(Darwin)
            Darwin.pow(base, exponent)
        #elseif canImport(Glibc)
            Glibc.pow(base, exponent)
        #elseif canImport(Musl)
            Musl.pow(base, exponent)
        #else
            Android.pow(base, exponent)
        #endif
    }

    /// Hyperbolic tangent.
    public static func tanh(_ value: Double) -> Double {
        #if canImport(Darwin)
            Darwin.tanh(value)
        #elseif canImport(Glibc)
            Glibc.tanh(value)
        #elseif canImport(Musl)
            Musl.tanh(value)
        #else
            Android.tanh(value)
        #endif
    }

    /// Square root; NaN below 0.
    public static func sqrt(_ value: Double) -> Double { value.squareRoot() }

    /// Logistic function 1 / (1 + e^−x), without overflow at either end.
    public static func sigmoid(_ logit: Float) -> Float {
        let x = Double(logit)
        if x >= 0 { return Float(1 / (1 + exp(-x))) }
        let e = exp(x)
        return Float(e / (1 + e))
    }

    /// Softmax of a row of logits, shifted by its maximum so that nothing overflows; empty in, empty out.
    public static func softmax(_ logits: [Float]) -> [Float] {
        guard let top = logits.max() else { return [] }
        let exponentials = logits.map { exp(Double($0 - top)) }
        let total = exponentials.reduce(0, +)
        return exponentials.map { Float($0 / total) }
    }
}
