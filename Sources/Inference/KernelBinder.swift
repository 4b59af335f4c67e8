// Unsafe: part of `PlanMemory`; turns operands into pointers. Its comment states the invariant.

import CKernels

@unsafe struct KernelBinder {
    let arena: UnsafeMutablePointer<Float>
    let compiled: CompiledGraph
    let store: WeightStore
    var retained: [PackedFloats]
    var tapLists: [UnsafeMutablePointer<Int>]
    private var constants: [UnsafePointer<Float>]

    init(arena: UnsafeMutablePointer<Float>, compiled: CompiledGraph, store: WeightStore) {
        unsafe self.arena = unsafe arena
        unsafe self.compiled = compiled
        unsafe self.store = store
        unsafe retained = []
        unsafe tapLists = []
        unsafe constants = []
        for constant in compiled.constants {
            let floats = store.weights(constant.key.map { "\($0)|constant" }) {
                PackedFloats(constant.values)
            }
            unsafe constants.append(retain(floats))
        }
    }

    private mutating func retain(_ floats: PackedFloats) -> UnsafePointer<Float> {
        unsafe retained.append(floats)
        return unsafe floats.pointer
    }

    private func memory(_ buffer: Int) -> UnsafeMutablePointer<Float> {
        unsafe arena + compiled.memory.offsets[buffer]
    }

    func pointer(_ operand: Operand) -> UnsafePointer<Float> {
        switch operand {
        case .buffer(let buffer): unsafe UnsafePointer(memory(buffer))
        case .constant(let index): unsafe constants[index]
        }
    }

    private mutating func taps(_ list: [Int]) -> UnsafePointer<Int> {
        let copy = UnsafeMutablePointer<Int>.allocate(capacity: max(list.count, 1))
        for i in list.indices { unsafe (copy + i).initialize(to: list[i]) }
        unsafe tapLists.append(copy)
        return unsafe UnsafePointer(copy)
    }

    private mutating func epilogue(_ epilogue: Epilogue) -> sk_epilogue {
        var out = unsafe sk_epilogue()
        if let bias = epilogue.bias { unsafe out.bias = retain(PackedFloats(bias)) }
        if let residual = epilogue.residual { unsafe out.residual = pointer(residual) }
        unsafe out.lo = epilogue.low
        unsafe out.hi = epilogue.high
        unsafe out.post = epilogue.post.kind.rawValue
        unsafe out.post_a = epilogue.post.a
        unsafe out.post_b = epilogue.post.b
        return unsafe out
    }

    private mutating func conv(
        _ product: Product, _ taps: [Int], _ run: Int, _ input: UnsafePointer<Float>,
        _ output: UnsafeMutablePointer<Float>
    ) -> sk_conv {
        let window = product.window
        let line = window.width * window.channels
        var out = unsafe sk_conv()
        unsafe out.input = unsafe input
        unsafe out.output = unsafe output
        unsafe out.images = window.images
        unsafe out.height = window.outHeight
        unsafe out.width = window.outWidth
        unsafe out.image_stride = window.height * line
        unsafe out.y_stride = window.strideHeight * line
        unsafe out.x_stride = window.strideWidth * window.channels
        // Outputs that follow one another with one distance are one long line.
        if unsafe out.x_stride * out.width == out.y_stride,
            unsafe out.y_stride * out.height == out.image_stride
        {
            unsafe out.width *= out.height * out.images
            unsafe out.height = 1
            unsafe out.images = 1
        }
        unsafe out.taps = unsafe self.taps(taps)
        unsafe out.tap_count = taps.count
        unsafe out.run = run
        unsafe out.groups = product.groups
        unsafe out.group_input_stride = window.channels / product.groups
        unsafe out.columns = product.outChannels / product.groups
        unsafe out.group_packed_stride = Int(sk_packed_count(taps.count * run, out.columns))
        unsafe out.output_stride = product.outChannels
        unsafe out.epilogue = unsafe epilogue(product.epilogue)
        return unsafe out
    }

    private func window(
        _ window: Window, _ input: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>
    ) -> sk_window {
        unsafe sk_window(
            input: input, images: window.images, height: window.height, width: window.width,
            channels: window.channels, out_height: window.outHeight, out_width: window.outWidth,
            kernel_h: window.kernelHeight, kernel_w: window.kernelWidth, stride_h: window.strideHeight,
            stride_w: window.strideWidth, dilation_h: window.dilationHeight, dilation_w: window.dilationWidth,
            pad_top: window.padTop, pad_left: window.padLeft, output: output)
    }

    mutating func bind(_ step: Step) -> KernelCall {
        let input = unsafe pointer(step.inputs[0])
        let output = unsafe memory(step.output)
        let scratch = unsafe step.scratch.map { unsafe memory($0) } ?? output
        switch step.kind {
        case .product: preconditionFailure("KernelSelection leaves no product")
        case .implicitGemm(let product, let taps, let run, let weights):
            var call = unsafe conv(product, taps, run, input, output)
            unsafe call.packed = unsafe retain(weights)
            return unsafe .conv(call)
        case .blasGemm(let product, let taps, let run, let weights, let chunkRows):
            let call = unsafe conv(product, taps, run, input, output)
            let blas = unsafe KernelCall.BlasCall(
                weights: retain(weights), scratch: scratch, chunkRows: chunkRows)
            return unsafe .blas(call, blas)
        case .winograd(let product, let m, let tileBlock, let weights):
            let w = product.window
            return unsafe .winograd(
                sk_winograd(
                    input: input, images: w.images, height: w.height, width: w.width, channels: w.channels,
                    pad_top: w.padTop, pad_left: w.padLeft, out_height: w.outHeight, out_width: w.outWidth,
                    columns: product.outChannels, m: m, packed: retain(weights), scratch: scratch,
                    tile_block: tileBlock, output: output, epilogue: epilogue(product.epilogue)))
        case .depthwise(let product, let weights):
            return unsafe .depthwise(
                window(product.window, input, output), retain(weights), epilogue(product.epilogue))
        case .maxPool(let w): return unsafe .maxPool(window(w, input, output))
        case .averagePool(let w, let include):
            return unsafe .averagePool(window(w, input, output), include ? 1 : 0, w.padBottom, w.padRight)
        case .unary(let operation, let count): return unsafe .unary(operation, input, output, count)
        case .binary(let kind, let dims, let left, let right):
            var call = unsafe sk_binary()
            unsafe call.op = kind.rawValue
            unsafe call.rank = dims.count
            unsafe call.a = unsafe input
            unsafe call.b = unsafe pointer(step.inputs[1])
            unsafe call.output = unsafe output
            unsafe fill(&call.dims, dims)
            unsafe fill(&call.a_strides, left)
            unsafe fill(&call.b_strides, right)
            return unsafe .binary(call)
        case .select(let dims, let condition, let left, let right):
            var call = unsafe sk_select()
            unsafe call.rank = dims.count
            unsafe call.condition = unsafe input
            unsafe call.a = unsafe pointer(step.inputs[1])
            unsafe call.b = unsafe pointer(step.inputs[2])
            unsafe call.output = unsafe output
            unsafe fill(&call.dims, dims)
            unsafe fill(&call.c_strides, condition)
            unsafe fill(&call.a_strides, left)
            unsafe fill(&call.b_strides, right)
            return unsafe .select(call)
        case .copy(let copy):
            var call = unsafe sk_copy()
            unsafe call.rank = copy.dims.count
            unsafe call.input = unsafe input + copy.inputOffset
            unsafe call.output = unsafe output + copy.outputOffset
            unsafe fill(&call.dims, copy.dims)
            unsafe fill(&call.in_strides, copy.inputStrides)
            unsafe fill(&call.out_strides, copy.outputStrides)
            return unsafe .copy(call)
        case .padImage(let w): return unsafe .pad(window(w, input, output), w.padBottom, w.padRight)
        case .gather(let outer, let axis, let inner, let indices, let fill):
            // Kept as the bits of floats: one kind of retained memory is enough.
            let table = unsafe retain(PackedFloats(indices.map { Float(bitPattern: UInt32(bitPattern: $0)) }))
            let index = unsafe UnsafeRawPointer(table).assumingMemoryBound(to: Int32.self)
            return unsafe .gather(input, outer, axis, inner, index, indices.count, fill, output)
        case .reduce(let kind, let outer, let axis, let inner):
            return unsafe .reduce(kind.rawValue, input, outer, axis, inner, output)
        case .softmax(let outer, let axis, let inner, let logarithm):
            return unsafe .softmax(input, outer, axis, inner, logarithm ? 1 : 0, output)
        case .stft(let f):
            let twiddles = unsafe store.weights("twiddles\(f.length)") {
                Kernels.stftTwiddles(length: f.length)
            }
            return unsafe .stft(
                sk_stft(
                    signal: input, batch: f.batch, samples: f.samples, frames: f.frames, hop: f.hop,
                    length: f.length, bins: f.bins, window: pointer(step.inputs[1]),
                    twiddles: retain(twiddles), scratch: scratch, spectrum: f.spectrum.rawValue,
                    output: output))
        case .matrixProduct(let shape):
            return unsafe .matrices(shape, input, pointer(step.inputs[1]), output)
        }
    }

    private typealias Sizes = (Int, Int, Int, Int, Int, Int, Int, Int)

    /// Writes up to `SK_MAX_RANK` numbers into a C array.
    private func fill(_ target: inout Sizes, _ values: [Int]) {
        unsafe withUnsafeMutableBytes(of: &target) { raw in
            let list = unsafe raw.bindMemory(to: Int.self)
            for i in 0..<min(values.count, Int(SK_MAX_RANK)) { unsafe list[i] = values[i] }
        }
    }
}
