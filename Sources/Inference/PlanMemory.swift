// Unsafe: binds the symbolic steps of a `CompiledGraph` to memory and calls the kernels. Safe because
// - the arena is one allocation of `MemoryPlan.arenaFloats`, every buffer lies inside it at its planned offset with
//   the size lowering computed, and buffers that live at the same time do not overlap;
// - constants, weights and tap lists are retained by this object, so every pointer in `calls` lives as long as it;
// - the counts handed to a kernel come from the same checked shapes as the buffer sizes;
// - one thread at a time uses a plan (`ExecutionPlan` is not Sendable), so nothing else reads or writes meanwhile.

import CKernels
import COpenBLAS

@safe final class PlanMemory {
    private let arena: UnsafeMutablePointer<Float>
    private let retained: [PackedFloats]
    private let tapLists: [UnsafeMutablePointer<Int>]
    private let calls: [KernelCall]
    let inputs: [(start: Int, count: Int)]
    private let outputPointers: [(pointer: UnsafePointer<Float>, count: Int)]

    /// OpenBLAS would start threads of its own on first use; parallelism belongs to the caller's workers.
    private static let singleThreaded: Void = openblas_set_num_threads(1)

    init(_ compiled: CompiledGraph, store: WeightStore) {
        Self.singleThreaded
        let count = max(compiled.memory.arenaFloats, 16)
        let raw = UnsafeMutableRawPointer.allocate(byteCount: count * 4, alignment: 64)
        unsafe arena = raw.bindMemory(to: Float.self, capacity: count)
        unsafe arena.initialize(repeating: 0, count: count)
        var binder = unsafe KernelBinder(arena: arena, compiled: compiled, store: store)
        unsafe calls = compiled.steps.map { unsafe binder.bind($0) }
        inputs = compiled.inputs.map { port in
            guard case .buffer(let buffer) = port.source else { return (0, 0) }
            return (compiled.memory.offsets[buffer], compiled.buffers[buffer])
        }
        unsafe outputPointers = compiled.outputs.map { port in
            unsafe (binder.pointer(port.source), port.shape.reduce(1, *))
        }
        retained = unsafe binder.retained
        unsafe tapLists = binder.tapLists
    }

    deinit {
        for i in unsafe tapLists.indices { unsafe tapLists[i].deallocate() }
        unsafe UnsafeMutableRawPointer(arena).deallocate()
    }

    func run() {
        for i in unsafe calls.indices { unsafe calls[i].run() }
    }

    /// One run; the time of each call in the units of `now`.
    func profile(now: () -> UInt64) -> [UInt64] {
        var times: [UInt64] = []
        for i in unsafe calls.indices {
            let start = now()
            unsafe calls[i].run()
            times.append(now() &- start)
        }
        return times
    }

    func withInput<R, E: Error>(_ index: Int, _ body: (inout MutableSpan<Float>) throws(E) -> R) throws(E)
        -> R
    {
        let (start, count) = inputs[index]
        var span = unsafe MutableSpan(_unsafeStart: arena + start, count: count)
        return try body(&span)
    }

    func load(_ values: Span<Float>, input index: Int, at offset: Int) {
        let (start, count) = inputs[index]
        precondition(offset >= 0 && values.count <= count - offset, "beyond the input")
        unsafe values.withUnsafeBufferPointer { from in
            guard let base = from.baseAddress else { return }
            unsafe (arena + start + offset).update(from: base, count: from.count)
        }
    }

    func store(output index: Int, at offset: Int, into target: inout MutableSpan<Float>) {
        let (pointer, count) = unsafe outputPointers[index]
        precondition(offset >= 0 && target.count <= count - offset, "beyond the output")
        unsafe target.withUnsafeMutableBufferPointer { to in
            guard let base = to.baseAddress else { return }
            unsafe base.update(from: pointer + offset, count: to.count)
        }
    }

    func withOutput<R, E: Error>(_ index: Int, _ body: (Span<Float>) throws(E) -> R) throws(E) -> R {
        let (pointer, count) = unsafe outputPointers[index]
        return try body(unsafe Span(_unsafeStart: pointer, count: count))
    }
}

/// One kernel call with its pointers.
@unsafe enum KernelCall {
    case conv(sk_conv)
    case blas(sk_conv, BlasCall)
    case winograd(sk_winograd)
    case depthwise(sk_window, UnsafePointer<Float>, sk_epilogue)
    case maxPool(sk_window)
    case averagePool(sk_window, Int32, Int, Int)
    case unary(UnaryOperation, UnsafePointer<Float>, UnsafeMutablePointer<Float>, Int)
    case binary(sk_binary)
    case select(sk_select)
    case copy(sk_copy)
    case pad(sk_window, Int, Int)
    case gather(
        UnsafePointer<Float>, Int, Int, Int, UnsafePointer<Int32>, Int, Float, UnsafeMutablePointer<Float>)
    case reduce(Int32, UnsafePointer<Float>, Int, Int, Int, UnsafeMutablePointer<Float>)
    case softmax(UnsafePointer<Float>, Int, Int, Int, Int32, UnsafeMutablePointer<Float>)
    case stft(sk_stft)
    case matrices(MatrixProduct, UnsafePointer<Float>, UnsafePointer<Float>, UnsafeMutablePointer<Float>)

    /// A product by BLAS: rows are gathered in chunks unless they already lie as a matrix.
    @unsafe struct BlasCall {
        var weights: UnsafePointer<Float>
        var scratch: UnsafeMutablePointer<Float>
        var chunkRows: Int
    }

    func run() {
        switch unsafe self {
        case .conv(var call): unsafe sk_conv_run(&call)
        case .blas(var call, let blas): unsafe Self.run(&call, blas)
        case .winograd(var call): unsafe sk_winograd_run(&call)
        case .depthwise(var window, let weights, var epilogue):
            unsafe sk_depthwise(&window, weights, &epilogue)
        case .maxPool(var window): unsafe sk_max_pool(&window)
        case .averagePool(var window, let include, let bottom, let right):
            unsafe sk_average_pool(&window, include, bottom, right)
        case .unary(let operation, let input, let output, let count):
            unsafe sk_unary(operation.kind.rawValue, operation.a, operation.b, input, output, count)
        case .binary(var call): unsafe sk_binary_run(&call)
        case .select(var call): unsafe sk_select_run(&call)
        case .copy(var call): unsafe sk_copy_run(&call)
        case .pad(var window, let height, let width): unsafe sk_pad_image(&window, height, width)
        case .gather(let input, let outer, let axis, let inner, let index, let count, let fill, let output):
            unsafe sk_gather(input, outer, axis, inner, index, count, fill, output)
        case .reduce(let kind, let input, let outer, let axis, let inner, let output):
            unsafe sk_reduce(kind, input, outer, axis, inner, output)
        case .softmax(let input, let outer, let axis, let inner, let logarithm, let output):
            unsafe sk_softmax(input, outer, axis, inner, logarithm, output)
        case .stft(var call): unsafe sk_stft_run(&call)
        case .matrices(let shape, let left, let right, let output):
            for i in shape.leftOffsets.indices {
                unsafe cblas_sgemm(
                    CblasRowMajor, CblasNoTrans, CblasNoTrans, Int32(shape.m), Int32(shape.n), Int32(shape.k),
                    1,
                    left + shape.leftOffsets[i], Int32(shape.k), right + shape.rightOffsets[i],
                    Int32(shape.n), 0,
                    output + i * shape.m * shape.n, Int32(shape.n))
            }
        }
    }

    private static func run(_ call: inout sk_conv, _ blas: BlasCall) {
        let depth = unsafe call.tap_count * call.run
        let rows = unsafe call.images * call.height * call.width
        let columns = unsafe call.columns
        let stride = unsafe call.output_stride
        let isMatrix =
            unsafe call.images == 1 && call.height == 1 && call.tap_count == 1 && call.groups == 1
            && call.x_stride >= depth
        for group in 0..<(unsafe call.groups) {
            let weights = unsafe blas.weights + group * columns * depth
            var epilogue = unsafe call.epilogue
            if let bias = unsafe epilogue.bias { unsafe epilogue.bias = bias + group * columns }
            var first = 0
            while first < rows {
                let count = isMatrix ? rows : unsafe min(blas.chunkRows, rows - first)
                let output = unsafe call.output + first * stride + group * columns
                if !isMatrix { unsafe sk_im2col(&call, group, first, count, blas.scratch) }
                let (left, leftStride): (UnsafePointer<Float>, Int) =
                    unsafe isMatrix
                    ? (call.input, call.x_stride) : (UnsafePointer(blas.scratch), depth)
                unsafe cblas_sgemm(
                    CblasRowMajor, CblasNoTrans, CblasTrans, Int32(count), Int32(columns), Int32(depth), 1,
                    left,
                    Int32(leftStride), weights, Int32(depth), 0, output, Int32(stride))
                var local = unsafe epilogue
                if let residual = unsafe epilogue.residual {
                    unsafe local.residual = residual + first * stride + group * columns
                }
                unsafe sk_apply_epilogue(&local, output, count, columns, stride)
                first += count
            }
        }
    }
}
