import SenseProtocol

/// A message that can be filled at random; conformances are generated.
protocol Sampled: WireMessage {
    static func sample(_ random: inout SampleSource) -> Self
}

/// Seeded random field values, with a liking for edges. Same seed, same messages (SplitMix64).
struct SampleSource: RandomNumberGenerator {
    private var state: UInt64
    /// Levels of nesting that may still be filled.
    private var budget = 400

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func index(below bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func isPresent() -> Bool { index(below: 3) != 0 }

    /// Elements of a repeated field.
    mutating func count() -> Int {
        budget -= 1
        return budget > 0 ? index(below: 5) : 0
    }

    mutating func uint64() -> UInt64 {
        switch index(below: 6) {
        case 0: 0
        case 1: .max
        case 2: 1 << (next() % 64)
        case 3: (1 << (next() % 64)) &- 1
        case 4: next() % 300
        default: next()
        }
    }
    mutating func uint32() -> UInt32 { UInt32(truncatingIfNeeded: uint64()) }
    mutating func int64() -> Int64 { Int64(bitPattern: uint64()) }
    mutating func int32() -> Int32 { Int32(truncatingIfNeeded: uint64()) }
    mutating func bool() -> Bool { next() & 1 == 1 }

    /// Any float but NaN, so that messages can be compared; NaN has its own test.
    mutating func float() -> Float {
        switch index(below: 6) {
        case 0: return -0.0
        case 1: return .infinity
        case 2: return .leastNonzeroMagnitude
        case 3: return Float.random(in: -1...1, using: &self)
        default:
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: next()))
            return value.isNaN ? .greatestFiniteMagnitude : value
        }
    }

    mutating func double() -> Double {
        switch index(below: 5) {
        case 0: return -0.0
        case 1: return -.infinity
        case 2: return Double.random(in: -1...1, using: &self)
        default:
            let value = Double(bitPattern: next())
            return value.isNaN ? .leastNonzeroMagnitude : value
        }
    }

    mutating func string() -> String {
        let alphabet: [Character] = [
            "a", "Z", "é", "日", "🔔", "\"", "\\", "\n", "\u{0}", "\u{1f}", " ", "\u{2028}",
        ]
        return String((0..<index(below: 24)).map { _ in alphabet[index(below: alphabet.count)] })
    }

    mutating func bytes() -> [UInt8] { (0..<index(below: 40)).map { _ in UInt8(truncatingIfNeeded: next()) } }

    mutating func enumeration<E: WireEnum>() -> E {
        if index(below: 5) == 0 { return E(rawValue: int32()) }
        return E.knownValues[index(below: E.knownValues.count)]
    }
}
