/// An open descriptor with exactly one owner, closed exactly once: when the owner lets go of it.
public struct FileDescriptor: ~Copyable, Sendable {
    /// The number the kernel knows it by; valid as long as this value lives.
    public let raw: Int32

    /// Takes ownership of an open descriptor.
    public init(owning raw: Int32) { self.raw = raw }

    deinit { Syscalls.close(raw) }

    /// Gives ownership up without closing; the caller must wrap the number again or close it.
    public consuming func release() -> Int32 {
        let number = raw
        discard self
        return number
    }
}
