import SessionCore
import Synchronization
import TLS

/// Codes and tokens for pairing, and a limit on wrong tries for the whole server.
///
/// A code has 40 random bits; with five tries a minute, guessing one takes on average two hundred thousand years.
final class PairingDesk: Sendable {
    /// Wrong codes a minute before all pairing pauses.
    static let maxFailuresPerMinute = 5
    /// How long it pauses, as told to the device.
    static let lockoutMs: UInt32 = 60_000
    /// Letters and digits that are not mistaken for each other (Crockford's base 32).
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    private let failures = Mutex<[UInt64]>([])

    /// Whether a code may be tried now.
    func mayTry(at now: Now) -> Bool {
        failures.withLock { failures in
            failures.removeAll { now.serverUs &- $0 > 60_000_000 }
            return failures.count < Self.maxFailuresPerMinute
        }
    }

    /// A wrong code was tried.
    func failed(at now: Now) {
        failures.withLock { failures in
            if failures.count < Self.maxFailuresPerMinute { failures.append(now.serverUs) }
        }
    }

    /// Eight characters, in two groups of four.
    static func makeCode() -> String {
        let characters = SecureRandom.bytes(8).map { alphabet[Int($0) % alphabet.count] }
        return String(characters.prefix(4)) + "-" + String(characters.suffix(4))
    }

    /// What the store keeps of a code. Case, hyphens and look-alikes do not matter.
    static func hash(ofCode code: String) -> [UInt8] {
        let plain = code.uppercased().compactMap { character -> Character? in
            switch character {
            case "O": "0"
            case "I", "L": "1"
            case "-", " ": nil
            default: character
            }
        }
        return SHA256.digest(of: Array(String(plain).utf8))
    }

    /// 256 random bits in hexadecimal.
    static func makeToken() -> String { hexadecimal(SecureRandom.bytes(32)) }

    /// 64 random bits in hexadecimal.
    static func makeDeviceID() -> String { hexadecimal(SecureRandom.bytes(8)) }

    /// Lower-case hexadecimal.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
