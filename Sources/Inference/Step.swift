/// Where a step reads: a buffer of the plan's arena, or a constant of the plan.
enum Operand: Hashable {
    case buffer(Int)
    case constant(Int)
}

/// A unary operation with its two parameters; the names are those of `CKernels.h`.
struct UnaryOperation: Equatable {
    var kind: Kind
    var a: Float = 0
    var b: Float = 0

    enum Kind: Int32 {
        case identity = 0, exp, log, sqrt, abs, negate, sigmoid, tanh, erf, gelu, geluTanh, silu, softplus
        case reciprocal, floor, ceil, round, sign, sin, cos, square, not
        case leakyRelu, elu, hardSigmoid, hardSwish, clip, affine, powScalar
    }
}

/// A binary operation; order as in `CKernels.h`.
enum BinaryKind: Int32 {
    case add = 0, subtract, multiply, divide, max, min, power, prelu, greater, greaterEqual, less, lessEqual
    case equal, and, or
}

/// A reduction; order as in `CKernels.h`.
enum ReduceKind: Int32 {
    case sum = 0, mean, max, min, l1, l2, sumSquare, product
}

/// What a product does to its sums before storing them: + bias, + residual, clamp, then `post`.
struct Epilogue: Equatable {
    var bias: [Float]?
    var residual: Operand?
    var low = -Float.infinity
    var high = Float.infinity
    var post = UnaryOperation(kind: .identity)

    var isClamped: Bool { low != -.infinity || high != .infinity }
    /// Nothing but a bias so far: scaling and shifting by channel may still be folded in.
    var isLinear: Bool { residual == nil && !isClamped && post.kind == .identity }
}

/// Window geometry of a convolution or pooling over a channels-last image.
struct Window: Equatable {
    var images: Int
    var height: Int
    var width: Int
    var channels: Int
    var outHeight: Int
    var outWidth: Int
    var kernelHeight = 1
    var kernelWidth = 1
    var strideHeight = 1
    var strideWidth = 1
    var dilationHeight = 1
    var dilationWidth = 1
    var padTop = 0
    var padLeft = 0
    var padBottom = 0
    var padRight = 0

    var isPadded: Bool { padTop + padLeft + padBottom + padRight > 0 }
    var rows: Int { images * outHeight * outWidth }
}

/// A convolution or dense layer before a kernel is chosen for it; batch norms and activations fold into it.
struct Product {
    var node: NodeIdentity
    var window: Window
    var groups: Int
    var outChannels: Int
    var weights: WeightRecipe
    var epilogue = Epilogue()

    var multiplyAdds: Int {
        window.rows * outChannels * (window.channels / groups) * window.kernelHeight * window.kernelWidth
    }
}

/// Strided copy; strides in floats, dims from outermost to innermost of the output.
struct StridedCopy {
    var dims: [Int]
    var inputStrides: [Int]
    var outputStrides: [Int]
    var inputOffset = 0
    var outputOffset = 0
}

/// A batched product of two computed matrices, row-major, by BLAS.
struct MatrixProduct {
    var m: Int
    var n: Int
    var k: Int
    /// Offsets in floats of each pair's left and right matrix; outputs follow one another.
    var leftOffsets: [Int]
    var rightOffsets: [Int]
}

/// What an STFT gives of each bin; order as in `CKernels.h`.
enum SpectrumKind: Int32 {
    case complex = 0, power, magnitude
}

/// Frames of real signals to transform.
struct FourierFrames {
    var batch: Int
    var samples: Int
    var frames: Int
    var hop: Int
    var length: Int
    var bins: Int
    var spectrum: SpectrumKind
}

/// One kernel call. Buffers are named by number; the plan gives them memory.
struct Step {
    enum Kind {
        /// A product whose kernel is not chosen yet; none is left after `KernelSelection`.
        case product(Product)
        case implicitGemm(Product, taps: [Int], run: Int, weights: PackedFloats)
        case blasGemm(Product, taps: [Int], run: Int, weights: PackedFloats, chunkRows: Int)
        case winograd(Product, m: Int, tileBlock: Int, weights: PackedFloats)
        case depthwise(Product, weights: PackedFloats)
        case maxPool(Window)
        case averagePool(Window, includePadding: Bool)
        case unary(UnaryOperation, count: Int)
        case binary(BinaryKind, dims: [Int], left: [Int], right: [Int])
        case select(dims: [Int], condition: [Int], left: [Int], right: [Int])
        case copy(StridedCopy)
        /// The image of the window in the middle of a zero-bordered one.
        case padImage(Window)
        case gather(outer: Int, axis: Int, inner: Int, indices: [Int32], fill: Float)
        case reduce(ReduceKind, outer: Int, axis: Int, inner: Int)
        case softmax(outer: Int, axis: Int, inner: Int, logarithm: Bool)
        case stft(FourierFrames)
        case matrixProduct(MatrixProduct)
    }

    var kind: Kind
    var inputs: [Operand]
    var output: Int
    /// Working memory of this step alone.
    var scratch: Int?

    /// Everything the step reads, the residual included.
    var reads: [Operand] {
        switch kind {
        case .product(let p), .implicitGemm(let p, _, _, _), .blasGemm(let p, _, _, _, _),
            .winograd(let p, _, _, _), .depthwise(let p, _):
            if let residual = p.epilogue.residual { return inputs + [residual] }
            return inputs
        default: return inputs
        }
    }
}
