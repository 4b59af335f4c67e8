/// Which algorithm a 3 x 3 convolution takes, by estimated time. The constants are rates measured on one core of a
/// server CPU with AVX-512; only their ratios matter.
enum ProductCost {
    /// Multiply-adds per nanosecond of a full register tile.
    static let multiplyRate = 90.0
    /// Bytes per nanosecond at which weights stream through when they do not stay in the second-level cache.
    static let streamRate = 20.0
    /// Bytes per nanosecond of the Winograd transforms, loads and stores together.
    static let transformRate = 24.0
    /// Second-level cache that a step may count on.
    static let cacheBytes = 1_000_000.0
    /// Floats of transformed input and output kept at once.
    static let blockFloats = 320_000

    static func tileBlock(floatsPerTile: Int) -> Int { max(14, blockFloats / floatsPerTile / 14 * 14) }

    /// 4 or 2 for Winograd F(m x m, 3 x 3), nil for the direct product.
    static func winogradSize(_ product: Product, vectorWidth: Int) -> Int? {
        let w = product.window
        guard w.kernelHeight == 3, w.kernelWidth == 3, w.strideHeight == 1, w.strideWidth == 1,
            w.dilationHeight == 1, w.dilationWidth == 1, product.groups == 1,
            w.channels % vectorWidth == 0, product.outChannels % vectorWidth == 0
        else { return nil }
        let options: [(m: Int?, cost: Double)] = [
            (nil, direct(product)), (2, winograd(product, 2)), (4, winograd(product, 4)),
        ]
        return options.min { $0.cost < $1.cost }?.m
    }

    private static func weightTime(_ floats: Double, passes: Double) -> Double {
        let bytes = floats * 4
        return bytes <= cacheBytes ? 0 : bytes * passes / streamRate
    }

    private static func direct(_ product: Product) -> Double {
        let weights = Double(product.depth * product.outChannels)
        return Double(product.multiplyAdds) / multiplyRate + weightTime(weights, passes: 1)
    }

    private static func winograd(_ product: Product, _ m: Int) -> Double {
        let w = product.window
        let tiles = w.images * ((w.outHeight + m - 1) / m) * ((w.outWidth + m - 1) / m)
        let points = (m + 2) * (m + 2)
        let perTile = points * (w.channels + product.outChannels)
        let block = min(tiles, tileBlock(floatsPerTile: perTile))
        // A tile of few rows reads a panel for little work.
        let fill = min(1.0, Double(min(block, 14)) / 8)
        let work = Double(points * tiles) * Double(w.channels * product.outChannels)
        let passes = (Double(tiles) / Double(block)).rounded(.up)
        return work / (multiplyRate * fill)
            + weightTime(Double(points * w.channels * product.outChannels), passes: passes)
            + Double(tiles * perTile) * 8 / transformRate
    }
}
