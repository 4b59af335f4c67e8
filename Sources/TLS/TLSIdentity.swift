// Invariant that makes the unsafe code safe: file reads stay within the array they fill; descriptors are closed
// on every path.
import Glibc

/// A certificate chain and its private key, as PEM text.
public struct TLSIdentity: Sendable {
    /// The leaf certificate first, then intermediates.
    public let certificateChainPEM: [UInt8]
    /// The unencrypted private key of the leaf.
    public let privateKeyPEM: [UInt8]

    /// A chain of 10 certificates is 20 KB; a file above this is not one.
    private static let maxFileBytes = 256 * 1024

    /// Wraps PEM text; it is checked when a context is made from it.
    public init(certificateChainPEM: [UInt8], privateKeyPEM: [UInt8]) {
        self.certificateChainPEM = certificateChainPEM
        self.privateKeyPEM = privateKeyPEM
    }

    /// Reads both files.
    public init(certificatePath: String, privateKeyPath: String) throws(TLSError) {
        certificateChainPEM = try Self.read(certificatePath)
        privateKeyPEM = try Self.read(privateKeyPath)
    }

    /// Writes both files, readable by their owner alone (0600), each replaced in one step. The key goes first,
    /// so that a certificate without its key never stays behind.
    public func write(certificatePath: String, privateKeyPath: String) throws(TLSError) {
        try Self.write(privateKeyPEM, to: privateKeyPath)
        try Self.write(certificateChainPEM, to: certificatePath)
    }

    private static func read(_ path: String) throws(TLSError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(path: path, reason: reason()) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maxFileBytes + 1)
        var filled = 0
        while filled < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe Glibc.read(descriptor, $0.baseAddress?.advanced(by: filled), $0.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .file(path: path, reason: reason()) }
            if count == 0 { return Array(bytes[..<filled]) }
            filled += count
        }
        throw .file(path: path, reason: "larger than \(maxFileBytes) bytes")
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(TLSError) {
        let temporary = path + ".new"
        unsafe unlink(temporary)
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(path: temporary, reason: reason()) }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let reason = reason()
                close(descriptor)
                unsafe unlink(temporary)
                throw .file(path: temporary, reason: reason)
            }
            written += count
        }
        let isSynced = fsync(descriptor) == 0
        guard close(descriptor) == 0, isSynced, unsafe rename(temporary, path) == 0 else {
            let reason = reason()
            unsafe unlink(temporary)
            throw .file(path: path, reason: reason)
        }
    }

    private static func reason() -> String {
        let code = errno
        return unsafe strerror(code).map { unsafe String(cString: $0) } ?? "errno \(code)"
    }
}
