/// Places every buffer in one arena. Buffers that never live at the same time share memory.
struct MemoryPlan {
    /// Offset of each buffer in floats; -1 for one no step uses.
    private(set) var offsets: [Int]
    private(set) var arenaFloats = 0

    /// Floats per 64 bytes; every buffer starts on a cache line.
    static let alignment = 16

    /// `pinned` buffers (graph inputs and outputs) keep their memory for the whole run.
    init(steps: [Step], buffers: [Int], pinned: Set<Int>, limits: InferenceLimits) throws(InferenceError) {
        offsets = [Int](repeating: -1, count: buffers.count)
        var first = [Int](repeating: Int.max, count: buffers.count)
        var last = [Int](repeating: -1, count: buffers.count)
        func touch(_ buffer: Int, _ step: Int) {
            first[buffer] = min(first[buffer], step)
            last[buffer] = max(last[buffer], step)
        }
        for (index, step) in steps.enumerated() {
            touch(step.output, index)
            if let scratch = step.scratch { touch(scratch, index) }
            for case .buffer(let buffer) in step.reads { touch(buffer, index) }
        }
        for buffer in pinned {
            first[buffer] = -1
            last[buffer] = steps.count
        }
        let used = buffers.indices.filter { last[$0] >= first[$0] }
        // Largest first leaves the fewest holes.
        let bySize = used.sorted { (buffers[$0], $1) > (buffers[$1], $0) }
        var placed: [Int] = []
        for buffer in bySize {
            let size = (buffers[buffer] + Self.alignment - 1) / Self.alignment * Self.alignment
            let neighbours = placed.filter { first[$0] <= last[buffer] && first[buffer] <= last[$0] }
                .sorted { offsets[$0] < offsets[$1] }
            var at = 0
            for other in neighbours {
                if at + size <= offsets[other] { break }
                let end =
                    offsets[other] + (buffers[other] + Self.alignment - 1) / Self.alignment * Self.alignment
                at = max(at, end)
            }
            offsets[buffer] = at
            placed.append(buffer)
            arenaFloats = max(arenaFloats, at + size)
            guard arenaFloats <= limits.maxArenaFloats else {
                throw .overLimit(limit: "maxArenaFloats", allowed: limits.maxArenaFloats, got: arenaFloats)
            }
        }
    }
}
