// Invariant that makes the unsafe code safe: the output arrays have exactly the length the calls write.
import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// Length of a digest.
    public static let byteCount = 32

    /// The digest of `bytes`.
    public static func digest(of bytes: Span<UInt8>) -> [UInt8] {
        let digest = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { target, initialized in
            var length: UInt32 = 0
            let status = unsafe bytes.withUnsafeBufferPointer {
                unsafe EVP_Digest($0.baseAddress, $0.count, target.baseAddress, &length, EVP_sha256(), nil)
            }
            precondition(status == 1 && length == byteCount, "EVP_Digest failed: out of memory")
            initialized = byteCount
        }
        return digest
    }

    /// The digest of `bytes`.
    public static func digest(of bytes: [UInt8]) -> [UInt8] { digest(of: bytes.span) }
}

/// Random bytes that nobody can guess.
public enum SecureRandom {
    /// `count` random bytes for keys, tokens and codes. Traps if the system has no entropy: going on would
    /// hand out guessable secrets.
    public static func bytes(_ count: Int) -> [UInt8] {
        precondition(count >= 0 && count <= 1 << 20, "random bytes are asked for in small numbers")
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
            precondition(unsafe RAND_bytes(target.baseAddress, Int32(count)) == 1, "no entropy")
            initialized = count
        }
    }
}

/// Comparison whose duration does not depend on the contents.
public enum ConstantTime {
    /// Whether both are equal; only the lengths may be learned from the time it takes.
    public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe CRYPTO_memcmp(left, right, left.count) == 0
    }
}
