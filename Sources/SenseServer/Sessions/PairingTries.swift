import Net
import SessionCore

/// The tries at pairing codes of the last minute: how many a peer and how many all peers together may have.
///
/// A try counts from before the store is asked, so that many at once are limited like many in a row, and is given
/// back if it was not a wrong code.
struct PairingTries {
    /// Tries a minute and peer address: typing mistakes, not guessing.
    static let maxPerPeer = 5
    /// Tries a minute of all peers: bounds guessing from many addresses. One stranger uses up a sixth of it.
    static let maxInAll = 30
    /// How long a wrong code counts.
    static let windowUs: UInt64 = 60_000_000

    /// Where a try comes from: an IPv4 address or the /64 network of an IPv6 address, as whoever has one address of
    /// that has all of them.
    struct Peer: Equatable {
        private let prefix: [UInt8]

        /// nil: the peer could not be named; all such count as one.
        init(_ address: SocketAddress?) {
            switch address?.family {
            case nil: prefix = []
            case .v4: prefix = address?.bytes ?? []
            case .v6:
                let bytes = address?.bytes ?? []
                let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11] == [0xff, 0xff]
                prefix = isMapped ? Array(bytes.suffix(4)) : Array(bytes.prefix(8))
            }
        }
    }

    /// One try that counts until it is given back or a minute has passed.
    struct Ticket: Equatable {
        fileprivate let number: UInt64
    }

    private struct Try {
        let number: UInt64
        let peer: Peer
        let atUs: UInt64
    }

    /// At most `maxInAll`.
    private var tries: [Try] = []
    private var lastNumber: UInt64 = 0

    /// Takes a try, or nil if there are too many.
    mutating func take(_ peer: Peer, at now: Now) -> Ticket? {
        tries.removeAll { now.serverUs > $0.atUs && now.serverUs - $0.atUs > Self.windowUs }
        guard tries.count < Self.maxInAll, tries.count(where: { $0.peer == peer }) < Self.maxPerPeer else {
            return nil
        }
        lastNumber &+= 1
        tries.append(Try(number: lastNumber, peer: peer, atUs: now.serverUs))
        return Ticket(number: lastNumber)
    }

    /// The try was no wrong code.
    mutating func giveBack(_ ticket: Ticket) {
        tries.removeAll { $0.number == ticket.number }
    }
}
