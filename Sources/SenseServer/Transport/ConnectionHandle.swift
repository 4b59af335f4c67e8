import Net

/// A connection seen from another thread: work can be posted to it, and is dropped if it has ended.
public struct ConnectionHandle: Hashable, Sendable {
    let shard: LoopShard
    /// Unique within its loop for the life of the process.
    public let id: UInt64

    /// Runs `body` on the connection's loop; does nothing if the connection has ended by then.
    public func post(_ body: @escaping @Sendable (ServerConnection) -> Void) {
        let (shard, id) = (shard, id)
        shard.loop.post {
            if let connection = shard.connection(id) { body(connection) }
        }
    }

    /// Same connection.
    public static func == (left: Self, right: Self) -> Bool {
        left.id == right.id && left.shard === right.shard
    }

    /// Same connection, same hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(shard.index)
    }
}
