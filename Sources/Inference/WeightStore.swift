import Synchronization

/// Packed weights of one model, made once and shared by its plans for all batch sizes. Thread safe.
final class WeightStore: Sendable {
    private let packed = Mutex<[String: PackedFloats]>([:])

    /// The weights under `key`, made by `make` on first use. `make` runs under the lock: two plans made at the same
    /// time do not pack twice.
    func weights<E: Error>(_ key: String?, _ make: () throws(E) -> PackedFloats) throws(E) -> PackedFloats {
        guard let key else { return try make() }
        return try packed.withLock { (table) throws(E) in
            if let found = table[key] { return found }
            let made = try make()
            table[key] = made
            return made
        }
    }

    /// Floats held now.
    var floatCount: Int { packed.withLock { $0.values.reduce(0) { $0 + $1.count } } }
}

/// Convolution weights [out, in / groups, kernel height, kernel width], and what folding did to them.
struct WeightRecipe {
    /// The tensor as the file has it.
    var base: Tensor
    /// `base` is a [in, out] matrix.
    var isTransposed = false
    /// One factor per output channel, from batch normalisation.
    var scale: [Float]?
    /// Distinguishes foldings of one tensor; nil when the content depends on the batch.
    var identity: String?

    /// The weights in [out, in, kernel] order with the scale applied.
    func resolved(outChannels: Int) -> [Float] {
        guard let values = base.floats else { return [] }
        var out = values
        let inner = outChannels > 0 ? values.count / outChannels : 0
        if isTransposed {
            for o in 0..<outChannels {
                for i in 0..<inner { out[o * inner + i] = values[i * outChannels + o] }
            }
        }
        if let scale {
            for o in 0..<outChannels {
                for i in 0..<inner { out[o * inner + i] *= scale[o] }
            }
        }
        return out
    }
}
