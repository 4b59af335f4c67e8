/// What a model file may ask for. A file comes from the operator of the server, but may be damaged or hostile.
public struct InferenceLimits: Equatable, Sendable {
    /// Bytes of the whole file. 256 MiB holds 60 M parameters, far above what one CPU core runs in real time.
    public var maxFileBytes = 256 << 20
    /// Nodes of the graph. Large exports (ResNet-152) have about a thousand.
    public var maxNodes = 10_000
    /// Initializers, graph inputs and outputs together.
    public var maxValues = 20_000
    /// Elements of one tensor, constant or computed. 64 Mi floats are 256 MiB.
    public var maxTensorElements = 64 << 20
    /// Elements of all constants a load computes (folding, expanding), so that a small file cannot ask for much.
    public var maxFoldedElements = 32 << 20
    /// Floats of one plan's working memory. 256 Mi floats are 1 GiB.
    public var maxArenaFloats = 256 << 20
    /// Multiply-adds of one run; about ten minutes of one core. Keeps a small hostile file from stopping a worker.
    public var maxMultiplyAdds = 1 << 46
    /// Largest batch a plan is made for.
    public var maxBatch = 1024
    /// Floats of one stream's state in a streaming form: 512 KiB, so that a thousand streams take half a gigabyte.
    public var maxStreamFloats = 128 << 10
    /// Bytes of one name or string; exporters write paths of at most a few hundred.
    public var maxNameBytes = 4096

    /// The defaults above.
    public static let standard = InferenceLimits()

    /// The defaults; change single fields afterwards.
    public init() {}
}
