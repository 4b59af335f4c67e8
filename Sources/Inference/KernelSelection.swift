/// Which code computes products. The packed kernels need AVX2 or AVX-512 and an optimised build of `CKernels`;
/// everywhere else OpenBLAS does them over gathered rows.
public enum ProductBackend: Equatable, Sendable {
    /// Packed weights, implicit matrix product, Winograd.
    case packed
    /// OpenBLAS `sgemm`.
    case blas

    /// The faster of the two here.
    public static var preferred: ProductBackend { Kernels.prefersPackedProducts ? .packed : .blas }
}

/// Chooses a kernel for every product and packs its weights.
struct KernelSelection {
    let backend: ProductBackend
    let store: WeightStore
    let limits: InferenceLimits
    private(set) var steps: [Step] = []
    private(set) var buffers: [Int]

    init(_ lowered: Lowering, backend: ProductBackend, store: WeightStore) throws(InferenceError) {
        self.backend = backend
        self.store = store
        limits = lowered.limits
        buffers = lowered.buffers
        for case let step? in lowered.steps {
            guard case .product(let product) = step.kind else {
                steps.append(withScratch(step))
                continue
            }
            try select(product, step)
        }
    }

    private mutating func withScratch(_ step: Step) -> Step {
        guard case .stft(let frames) = step.kind else { return step }
        var out = step
        buffers.append(Kernels.stftScratch(length: frames.length))
        out.scratch = buffers.count - 1
        return out
    }

    private mutating func select(_ product: Product, _ step: Step) throws(InferenceError) {
        let window = product.window
        if product.groups > 1, product.groups == window.channels, product.outChannels == window.channels {
            append(step, .depthwise(product, weights: depthwiseWeights(product)))
            return
        }
        if backend == .packed, let m = ProductCost.winogradSize(product, vectorWidth: Kernels.vectorWidth) {
            let tiles = window.images * ((window.outHeight + m - 1) / m) * ((window.outWidth + m - 1) / m)
            let perTile = (m + 2) * (m + 2) * (window.channels + product.outChannels)
            let block = min(tiles, ProductCost.tileBlock(floatsPerTile: perTile))
            buffers.append(perTile * block)
            append(
                step, .winograd(product, m: m, tileBlock: block, weights: winogradWeights(product, m)),
                scratch: buffers.count - 1)
            return
        }
        var direct = product
        var source = step
        if window.isPadded { (direct, source) = try padded(product, step) }
        let (taps, run) = Self.taps(direct)
        switch backend {
        case .packed:
            append(source, .implicitGemm(direct, taps: taps, run: run, weights: packedWeights(direct)))
        case .blas:
            // Gathered rows of about 1 MiB keep the working set in the second-level cache.
            let depth = max(1, taps.count * run)
            let rows = max(1, min(direct.window.rows, (1 << 18) / depth))
            buffers.append(rows * depth)
            append(
                source,
                .blasGemm(direct, taps: taps, run: run, weights: denseWeights(direct), chunkRows: rows),
                scratch: buffers.count - 1)
        }
    }

    private mutating func append(_ step: Step, _ kind: Step.Kind, scratch: Int? = nil) {
        var chosen = step
        chosen.kind = kind
        chosen.scratch = scratch
        steps.append(chosen)
    }

    /// Copies the image into a zero-bordered one, so that the product reads no padding.
    private mutating func padded(_ product: Product, _ step: Step) throws(InferenceError) -> (Product, Step) {
        var out = product
        let window = product.window
        out.window.height += window.padTop + window.padBottom
        out.window.width += window.padLeft + window.padRight
        (out.window.padTop, out.window.padLeft, out.window.padBottom, out.window.padRight) = (0, 0, 0, 0)
        let channels = window.channels
        let line = out.window.width * channels
        let count = window.images * out.window.height * line
        guard count <= limits.maxTensorElements else {
            throw .overLimit(limit: "maxTensorElements", allowed: limits.maxTensorElements, got: count)
        }
        buffers.append(count)
        let target = buffers.count - 1
        steps.append(Step(kind: .padImage(window), inputs: step.inputs, output: target))
        var moved = step
        moved.inputs = [.buffer(target)]
        return (out, moved)
    }

    /// Offsets of the runs of input floats one output needs, and the length of each. Neighbouring taps of one line
    /// are one run when nothing lies between them.
    static func taps(_ product: Product) -> (taps: [Int], run: Int) {
        let window = product.window
        let line = window.width * window.channels
        if product.groups == 1, window.dilationWidth == 1 {
            return (
                (0..<window.kernelHeight).map { $0 * window.dilationHeight * line },
                window.kernelWidth * window.channels
            )
        }
        var taps: [Int] = []
        for y in 0..<window.kernelHeight {
            for x in 0..<window.kernelWidth {
                taps.append(y * window.dilationHeight * line + x * window.dilationWidth * window.channels)
            }
        }
        return (taps, window.channels / product.groups)
    }

    // MARK: Weights

    /// [group][kernel y][kernel x][in][out], the order in which inputs are read.
    private func readingOrder(_ product: Product) -> [Float] {
        let weights = product.weights.resolved(outChannels: product.outChannels)
        let inner = product.window.channels / product.groups
        let area = product.window.kernelHeight * product.window.kernelWidth
        let columns = product.outChannels / product.groups
        var out = [Float](repeating: 0, count: weights.count)
        for g in 0..<product.groups {
            for n in 0..<columns {
                for c in 0..<inner {
                    let from = ((g * columns + n) * inner + c) * area
                    for t in 0..<area {
                        out[((g * area + t) * inner + c) * columns + n] = weights[from + t]
                    }
                }
            }
        }
        return out
    }

    private func packedWeights(_ product: Product) -> PackedFloats {
        store.weights(product.weights.identity.map { "\($0)|packed\(product.groups)" }) {
            let depth = product.depth
            return Kernels.packed(
                readingOrder(product), groups: product.groups, depth: depth,
                columns: product.outChannels / product.groups)
        }
    }

    /// [out][reading order], for BLAS with the right side transposed.
    private func denseWeights(_ product: Product) -> PackedFloats {
        store.weights(product.weights.identity.map { "\($0)|dense\(product.groups)" }) {
            let values = product.weights.resolved(outChannels: product.outChannels)
            let area = product.window.kernelHeight * product.window.kernelWidth
            guard area > 1 else { return PackedFloats(values) }
            let inner = product.window.channels / product.groups
            var out = values
            for n in 0..<product.outChannels {
                for c in 0..<inner {
                    for t in 0..<area { out[(n * area + t) * inner + c] = values[(n * inner + c) * area + t] }
                }
            }
            return PackedFloats(out)
        }
    }

    private func depthwiseWeights(_ product: Product) -> PackedFloats {
        store.weights(product.weights.identity.map { "\($0)|depthwise" }) {
            let values = product.weights.resolved(outChannels: product.outChannels)
            let area = product.window.kernelHeight * product.window.kernelWidth
            var out = values
            for c in 0..<product.outChannels {
                for t in 0..<area { out[t * product.outChannels + c] = values[c * area + t] }
            }
            return PackedFloats(out)
        }
    }

    private func winogradWeights(_ product: Product, _ m: Int) -> PackedFloats {
        store.weights(product.weights.identity.map { "\($0)|winograd\(m)" }) {
            Kernels.winogradPacked(
                product.weights.resolved(outChannels: product.outChannels), m: m,
                channels: product.window.channels, columns: product.outChannels)
        }
    }
}

extension Product {
    /// Inputs of one output value.
    var depth: Int { window.channels / groups * window.kernelHeight * window.kernelWidth }
}
