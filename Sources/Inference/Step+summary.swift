extension Step {
    /// For people: what the step does and on what sizes.
    var summary: String {
        switch kind {
        case .product(let p): "product \(p.summary)"
        case .implicitGemm(let p, let taps, let run, _): "product \(p.summary) taps \(taps.count) run \(run)"
        case .blasGemm(let p, _, _, _, _): "sgemm \(p.summary)"
        case .winograd(let p, let m, let block, _): "winograd\(m) \(p.summary) block \(block)"
        case .depthwise(let p, _): "depthwise \(p.summary)"
        case .maxPool(let w): "max pool \(w.outHeight)x\(w.outWidth)x\(w.channels)"
        case .averagePool(let w, _): "average pool \(w.outHeight)x\(w.outWidth)x\(w.channels)"
        case .unary(let operation, let count): "\(operation.kind) \(count)"
        case .binary(let kind, let dims, _, _): "\(kind) \(dims)"
        case .select(let dims, _, _, _): "where \(dims)"
        case .copy(let copy): "copy \(copy.dims)"
        case .padImage(let w): "pad \(w.height)x\(w.width)x\(w.channels)"
        case .gather(let outer, let axis, let inner, let indices, _):
            "gather \(outer)x\(axis)x\(inner) at \(indices.count)"
        case .reduce(let kind, let outer, let axis, let inner): "reduce \(kind) \(outer)x\(axis)x\(inner)"
        case .softmax(let outer, let axis, let inner, _): "softmax \(outer)x\(axis)x\(inner)"
        case .stft(let f): "stft \(f.batch)x\(f.frames) frames of \(f.length), \(f.spectrum)"
        case .matrixProduct(let p): "matrices \(p.leftOffsets.count) x \(p.m)x\(p.k)x\(p.n)"
        }
    }
}

extension Product {
    fileprivate var summary: String {
        let w = window
        var text = "\(node) \(w.images)x\(w.outHeight)x\(w.outWidth) \(w.channels)->\(outChannels)"
        text += " \(w.kernelHeight)x\(w.kernelWidth)/\(w.strideHeight)"
        if epilogue.bias != nil { text += " +bias" }
        if epilogue.residual != nil { text += " +residual" }
        if epilogue.isClamped { text += " clamp" }
        if epilogue.post.kind != .identity { text += " \(epilogue.post.kind)" }
        return text
    }
}
