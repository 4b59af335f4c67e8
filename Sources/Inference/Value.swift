/// A value of the graph while a plan is made: its ONNX shape, and where and in which order its elements lie.
struct Value {
    enum Source {
        case constant(Tensor)
        case buffer(Int)
    }

    /// The shape ONNX speaks of.
    var shape: [Int]
    /// The axes of `shape` from outermost to innermost in memory. `[0, 2, 3, 1]` is channels last; transposing only
    /// relabels. Constants are always row-major.
    var order: [Int]
    var source: Source
    /// Computed truth values are floats 0 and 1.
    var isBoolean = false

    var rank: Int { shape.count }
    var count: Int { shape.reduce(1, *) }
    var physicalShape: [Int] { order.map { shape[$0] } }

    var constant: Tensor? {
        if case .constant(let tensor) = source { return tensor }
        return nil
    }

    /// Strides in floats, indexed by logical axis.
    var strides: [Int] {
        let dense = denseStrides(physicalShape)
        var out = [Int](repeating: 0, count: rank)
        for (place, axis) in order.enumerated() { out[axis] = dense[place] }
        return out
    }

    /// Whether the elements already lie in `wanted` order. Axes of size one have no place.
    func isStored(in wanted: [Int]) -> Bool {
        order.filter { shape[$0] != 1 } == wanted.filter { shape[$0] != 1 }
    }

    var isRowMajor: Bool { isStored(in: Array(0..<rank)) }
}

/// Axis order [image, spatial..., channel] for a rank of 2 or more.
func channelsLast(_ rank: Int) -> [Int] { [0] + Array(2..<rank) + [1] }
