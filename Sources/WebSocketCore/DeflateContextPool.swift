/// Contexts that stand ready for the next message of any connection. They hold a window of no connection.
///
/// Isolation: one loop; not Sendable.
public final class DeflateContextPool {
    private var deflaters: [Deflater] = []
    private var inflaters: [Inflater] = []
    private let maxIdleContexts: Int

    /// - Parameter maxIdleContexts: kept per direction; 4 by default, since a loop works on one message at a
    ///   time and more are in use only while compressed messages arrive in pieces.
    public init(maxIdleContexts: Int = 4) {
        self.maxIdleContexts = max(0, maxIdleContexts)
    }

    /// Contexts at rest, both directions.
    public var idleContexts: Int { deflaters.count + inflaters.count }

    func takeDeflater(windowBits: Int, configuration: DeflateConfiguration) -> Deflater? {
        if let index = deflaters.lastIndex(where: { $0.windowBits == windowBits }) {
            return deflaters.remove(at: index)
        }
        return Deflater(
            windowBits: windowBits, level: configuration.level, memoryLevel: configuration.memoryLevel)
    }

    func takeInflater(windowBits: Int) -> Inflater? {
        if let index = inflaters.lastIndex(where: { $0.windowBits >= windowBits }) {
            return inflaters.remove(at: index)
        }
        return Inflater(windowBits: windowBits)
    }

    func put(_ deflater: Deflater) {
        guard deflaters.count < maxIdleContexts else { return }
        deflater.reset()
        deflaters.append(deflater)
    }

    func put(_ inflater: Inflater) {
        guard inflaters.count < maxIdleContexts else { return }
        inflater.reset()
        inflaters.append(inflater)
    }
}
