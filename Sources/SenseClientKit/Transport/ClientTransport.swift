/// The way to a server: carries whole messages. An app brings its own (URLSessionWebSocketTask, NWConnection);
/// `LinuxTransport` is ours.
public protocol ClientTransport: AnyObject {
    /// Sends one binary message; ignored once closed.
    func send(_ message: [UInt8])
    /// Ends the connection orderly; the owner hears `transportClosed`.
    func close(code: UInt16, reason: String)
}

/// Who uses a transport. Called in one place of execution, never from inside a call to the transport.
public protocol ClientTransportOwner: AnyObject {
    /// Messages flow now.
    /// - Parameter fingerprint: SHA-256 of the server's certificate in lower-case hex; nil without TLS.
    func transportOpened(fingerprint: String?)
    /// One message came.
    func transportReceived(_ message: [UInt8])
    /// The last call; nil if it ended as we asked.
    func transportClosed(_ error: ClientError?)
}
