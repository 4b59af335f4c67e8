import SessionCore
import Synchronization
import TLS

/// Codes and tokens for pairing, and a limit on wrong tries.
///
/// A code has 40 random bits; with thirty tries a minute, guessing a given one takes on average 35,000 years.
final class PairingDesk: Sendable {
    /// How long a peer with too many wrong codes waits, as told to the device.
    static let lockoutMs: UInt32 = 60_000
    /// Letters and digits that are not mistaken for each other (Crockford's base 32).
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    private let tries = Mutex(PairingTries())

    /// Takes a try before the store is asked; nil if there were too many.
    func takeTry(_ peer: PairingTries.Peer, at now: Now) -> PairingTries.Ticket? {
        tries.withLock { $0.take(peer, at: now) }
    }

    /// The code was right, or the store did not say.
    func giveBack(_ ticket: PairingTries.Ticket) {
        tries.withLock { $0.giveBack(ticket) }
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
