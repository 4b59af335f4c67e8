import SenseProtocol

/// What every open stream of a session has, whatever it carries. The state of the module lies beside it, in the
/// session's dictionary of that kind, where it is changed in place without copying its buffers.
struct OpenedStream: Sendable {
    let kind: StreamKind
    /// Distinguishes openings of the same id, so that late scores of an older one are dropped.
    let generation: UInt32
    let name: String
    /// Seq of the last envelope of the stream that was handled.
    var lastSeq: UInt64
    /// Finals sent.
    var finals: UInt64 = 0
    /// Finish was asked for; Finished follows when nothing is owed any more.
    var isFinishing = false
    var lastHealthUs: UInt64
}
