/// A set of words over A…Z as a directed acyclic word graph: common beginnings and common endings are stored once.
///
/// An edge is one 32-bit number: 5 bits letter, 1 bit "ends a word", 1 bit "last of its node", 25 bits index of the first
/// edge of the node it leads to (0 = a node without edges). 40,000 English words take 244 KB with their counts. Immutable, so that
/// all streams of a server share one.
public struct Lexicon: Sendable, Equatable {
    /// Words held.
    public let wordCount: Int
    /// First edge of the start node; 0 when there is no word.
    public let root: UInt32
    private let edges: [UInt32]
    /// For each edge, how many words go through it.
    private let words: [UInt32]

    /// Bytes that the graph takes in memory.
    public var byteCount: Int { 2 * edges.count * MemoryLayout<UInt32>.stride }

    /// One step from a node.
    public struct Edge: Equatable, Sendable {
        /// The letter.
        public let letter: Letter
        /// Whether the letters up to and with this one are a word.
        public let endsWord: Bool
        /// Node it leads to.
        public let node: UInt32
    }

    /// Builds the graph.
    ///
    /// Words of other characters than letters A–Z of either case, empty ones, those longer than
    /// `BridgeAILimits.maxWordLetters` and those after the first `BridgeAILimits.maxLexiconWords` are left out.
    public init(_ words: some Sequence<String>) {
        var keys: [[UInt8]] = []
        for word in words {
            guard keys.count < BridgeAILimits.maxLexiconWords else { break }
            if let key = Self.key(word) { keys.append(key) }
        }
        keys.sort { $0.lexicographicallyPrecedes($1) }
        var builder = Builder()
        var last: [UInt8] = []
        for key in keys where key != last {
            builder.add(key)
            last = key
        }
        wordCount = builder.wordCount
        root = builder.finish()
        edges = builder.edges
        self.words = Self.wordsThrough(builder.edges)
    }

    /// Nodes are stored after all nodes below them, so one pass from the front has the counts it needs.
    private static func wordsThrough(_ edges: [UInt32]) -> [UInt32] {
        var words = [UInt32](repeating: 0, count: edges.count)
        for index in edges.indices.dropFirst() {
            words[index] = edges[index] & wordBit != 0 ? 1 : 0
            var below = Int(edges[index] >> 7)
            while below != 0, below < index {
                words[index] += words[below]
                below = edges[below] & lastBit != 0 ? 0 : below + 1
            }
        }
        return words
    }

    /// Words that go on from `node`.
    func wordsBelow(_ node: UInt32) -> Int {
        guard node != 0 else { return 0 }
        var sum = 0
        var index = Int(node)
        while index < edges.count {
            sum += Int(words[index])
            if edges[index] & Self.lastBit != 0 { break }
            index += 1
        }
        return sum
    }

    /// Letter indices 0…25 of a word; nil when it is no word of 1…`maxWordLetters` letters A–Z.
    static func key(_ word: some StringProtocol) -> [UInt8]? {
        var key: [UInt8] = []
        for byte in word.utf8 {
            switch byte {
            case 65...90: key.append(byte - 65)
            case 97...122: key.append(byte - 97)
            default: return nil
            }
            guard key.count <= BridgeAILimits.maxWordLetters else { return nil }
        }
        return key.isEmpty ? nil : key
    }

    /// Calls `body` with each edge of `node`, in the order of the alphabet.
    @inline(__always)
    func forEachEdge(of node: UInt32, _ body: (Edge) -> Void) {
        guard node != 0 else { return }
        var index = Int(node)
        while index < edges.count {
            let edge = edges[index]
            if let letter = Letter(index: Int(edge & 31)) {
                body(Edge(letter: letter, endsWord: edge & Self.wordBit != 0, node: edge >> 7))
            }
            if edge & Self.lastBit != 0 { return }
            index += 1
        }
    }

    /// Whether `word`, of either case, is held.
    public func contains(_ word: some StringProtocol) -> Bool {
        guard let key = Self.key(word) else { return false }
        var node = root
        var endsWord = false
        for letter in key {
            var found: Edge?
            forEachEdge(of: node) { if $0.letter.index == Int(letter) { found = $0 } }
            guard let found else { return false }
            node = found.node
            endsWord = found.endsWord
        }
        return endsWord
    }

    static let wordBit: UInt32 = 1 << 5
    static let lastBit: UInt32 = 1 << 6
}

extension Lexicon {
    /// Daciuk et al., "Incremental Construction of Minimal Acyclic Finite-State Automata", 2000, for sorted words: what
    /// lies below the part shared with the next word can no longer change and is stored, or found stored already.
    private struct Builder {
        /// Index 0 is never an edge, so that 0 can mean "no node".
        var edges: [UInt32] = [0]
        var wordCount = 0
        private var known: [[UInt32]: UInt32] = [:]
        /// Edges so far of the node at each depth of the newest word; the last edge of each is still open.
        private var open: [[UInt32]] = [[]]
        private var newest: [UInt8] = []

        mutating func add(_ key: [UInt8]) {
            var shared = 0
            while shared < min(newest.count, key.count), newest[shared] == key[shared] { shared += 1 }
            close(downTo: shared)
            for depth in shared..<key.count {
                open[depth].append(UInt32(key[depth]) | (depth == key.count - 1 ? Lexicon.wordBit : 0))
                open.append([])
            }
            newest = key
            wordCount += 1
        }

        /// Stores the nodes deeper than `depth` and links them.
        private mutating func close(downTo depth: Int) {
            while open.count > depth + 1, let node = open.popLast() {
                let place = store(node)
                if let parent = open.indices.last, let edge = open[parent].indices.last {
                    open[parent][edge] |= place << 7
                }
            }
        }

        private mutating func store(_ node: [UInt32]) -> UInt32 {
            guard var closed = Optional(node), let last = closed.indices.last else { return 0 }
            closed[last] |= Lexicon.lastBit
            if let place = known[closed] { return place }
            let place = UInt32(edges.count)
            edges += closed
            known[closed] = place
            return place
        }

        mutating func finish() -> UInt32 {
            close(downTo: 0)
            defer { known = [:] }
            return store(open.first ?? [])
        }
    }
}
