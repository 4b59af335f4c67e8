/// A close frame's content.
public struct CloseFrame: Equatable, Sendable {
    /// The code; nil when the body was empty.
    public let code: CloseCode?
    /// The reason, at most 123 bytes.
    public let reason: String

    /// As given.
    public init(code: CloseCode?, reason: String = "") {
        self.code = code
        self.reason = reason
    }
}

/// What came out of the bytes received.
public enum WebSocketEvent: Equatable, Sendable {
    /// A text message: valid UTF-8, not yet made a String.
    case text([UInt8])
    /// A binary message.
    case binary([UInt8])
    /// A ping; its pong is in the output already.
    case ping([UInt8])
    /// A pong.
    case pong([UInt8])
    /// The peer's close frame; our answer is in the output if we had not sent ours before. Nothing follows.
    case close(CloseFrame)
    /// The peer broke a rule; a close frame that says so is in the output if it was still allowed. Nothing
    /// follows.
    case failed(WebSocketError)
}
