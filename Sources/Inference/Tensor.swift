/// A constant of the graph: an initializer, a `Constant` node, or what folding made of them. Row-major.
struct Tensor: Sendable {
    enum Storage: Sendable {
        case floats([Float])
        case integers([Int64])
        case booleans([Bool])
    }

    var shape: [Int]
    var storage: Storage
    /// Names this content for every batch size, so that its packed form is shared by all plans of a model. Nil for
    /// what depends on the batch.
    var identity: String?

    var count: Int {
        switch storage {
        case .floats(let v): v.count
        case .integers(let v): v.count
        case .booleans(let v): v.count
        }
    }

    var floats: [Float]? {
        switch storage {
        case .floats(let v): v
        case .booleans(let v): v.map { $0 ? 1 : 0 }
        case .integers: nil
        }
    }

    var integers: [Int64]? {
        if case .integers(let v) = storage { return v }
        return nil
    }

    /// The single value of a one-element float tensor.
    var scalar: Float? {
        guard case .floats(let v) = storage, v.count == 1 else { return nil }
        return v[0]
    }

    /// The elements at `indices`, in that order.
    func gathered(_ indices: [Int], shape: [Int], identity: String? = nil) -> Tensor {
        let picked: Storage =
            switch storage {
            case .floats(let v): .floats(indices.map { v[$0] })
            case .integers(let v): .integers(indices.map { v[$0] })
            case .booleans(let v): .booleans(indices.map { v[$0] })
            }
        return Tensor(shape: shape, storage: picked, identity: identity)
    }

    /// The same elements under another shape of the same count.
    func reshaped(_ shape: [Int]) -> Tensor {
        Tensor(shape: shape, storage: storage, identity: identity)
    }

    static func integers(_ values: [Int64]) -> Tensor {
        Tensor(shape: [values.count], storage: .integers(values), identity: nil)
    }
}

/// Row-major strides of a shape.
func denseStrides(_ shape: [Int]) -> [Int] {
    var strides = [Int](repeating: 1, count: shape.count)
    for i in stride(from: shape.count - 2, through: 0, by: -1) { strides[i] = strides[i + 1] * shape[i + 1] }
    return strides
}

/// Source offsets of every element of `shape` (row-major), moving by `strides` from `start`.
func stridedIndices(shape: [Int], strides: [Int], start: Int = 0) -> [Int] {
    let count = shape.reduce(1, *)
    guard count > 0 else { return [] }
    var out: [Int] = []
    out.reserveCapacity(count)
    var position = [Int](repeating: 0, count: shape.count)
    var at = start
    for _ in 0..<count {
        out.append(at)
        var axis = shape.count - 1
        while axis >= 0 {
            position[axis] += 1
            at += strides[axis]
            if position[axis] < shape[axis] { break }
            at -= strides[axis] * shape[axis]
            position[axis] = 0
            axis -= 1
        }
    }
    return out
}
