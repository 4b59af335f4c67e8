#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Rows cos and -sin of each bin, times the window: [2 * bins, window.count]. Angles are reduced before the sine, so
/// the entries are right to float precision for every length.
func fourierMatrix(_ window: [Float], bins: Int) -> [Float] {
    let length = window.count
    var table: [(cos: Double, sin: Double)] = []
    for i in 0..<length {
        let angle = 2 * Double.pi * Double(i) / Double(length)
        table.append((cos(angle), sin(angle)))
    }
    var out = [Float](repeating: 0, count: 2 * bins * length)
    for bin in 0..<bins {
        for n in 0..<length {
            let turn = table[bin * n % length]
            out[2 * bin * length + n] = Float(turn.cos * Double(window[n]))
            out[(2 * bin + 1) * length + n] = Float(-turn.sin * Double(window[n]))
        }
    }
    return out
}
