internal import HTTPCore

/// Offers and answers of permessage-deflate (RFC 7692 section 7.1).
enum DeflateNegotiation {
    static let name = "permessage-deflate"

    /// An offer or an answer as read: which parameters it has.
    struct Parameters: Equatable {
        var serverNoContextTakeover = false
        var clientNoContextTakeover = false
        var serverMaxWindowBits: Int?
        var clientMaxWindowBits: Int?
        /// `client_max_window_bits` without a value: an offer's way to say that the client can limit itself.
        var clientMayLimitWindow = false

        /// Nil for an unknown, repeated or ill-valued parameter, which makes the member unacceptable.
        init?(_ member: ExtensionList.Member) {
            guard member.name == DeflateNegotiation.name else { return nil }
            var seen: Set<String> = []
            for parameter in member.parameters {
                guard seen.insert(parameter.name).inserted else { return nil }
                switch (parameter.name, parameter.value) {
                case ("server_no_context_takeover", nil): serverNoContextTakeover = true
                case ("client_no_context_takeover", nil): clientNoContextTakeover = true
                case ("client_max_window_bits", nil): clientMayLimitWindow = true
                case ("client_max_window_bits", .some(let value)):
                    guard let bits = Self.windowBits(value) else { return nil }
                    clientMaxWindowBits = bits
                    clientMayLimitWindow = true
                case ("server_max_window_bits", .some(let value)):
                    guard let bits = Self.windowBits(value) else { return nil }
                    serverMaxWindowBits = bits
                default: return nil
                }
            }
        }

        /// 8...15 without leading zeros.
        private static func windowBits(_ value: String) -> Int? {
            guard value.utf8.first != UInt8(ascii: "0"), let bits = ASCII.decimal(Array(value.utf8)),
                (8...15).contains(bits)
            else { return nil }
            return bits
        }
    }

    /// Server: the first acceptable offer, and the answer to it.
    static func accept(
        _ offers: ExtensionList, _ configuration: DeflateConfiguration
    ) -> (agreed: DeflateParameters, answer: String)? {
        guard let offer = offers.members.lazy.compactMap({ Parameters($0) }).first else { return nil }
        var agreed = DeflateParameters()
        var answer = name
        agreed.serverNoContextTakeover = offer.serverNoContextTakeover || configuration.noContextTakeover
        agreed.clientNoContextTakeover = offer.clientNoContextTakeover || configuration.noContextTakeover
        if agreed.serverNoContextTakeover { answer += "; server_no_context_takeover" }
        if agreed.clientNoContextTakeover { answer += "; client_no_context_takeover" }
        agreed.serverMaxWindowBits = min(offer.serverMaxWindowBits ?? 15, configuration.maxWindowBits)
        if let asked = offer.serverMaxWindowBits {
            // An asked 8 is agreed to; messages then go out as they are (see PermessageDeflate.deflate).
            agreed.serverMaxWindowBits = min(asked, configuration.maxWindowBits)
            answer += "; server_max_window_bits=\(agreed.serverMaxWindowBits)"
        }
        if offer.clientMayLimitWindow {
            let bits = min(offer.clientMaxWindowBits ?? 15, configuration.peerMaxWindowBits)
            agreed.clientMaxWindowBits = bits
            if bits < 15 || offer.clientMaxWindowBits != nil { answer += "; client_max_window_bits=\(bits)" }
        }
        return (agreed, answer)
    }

    /// Client: the offer.
    static func offer(_ configuration: DeflateConfiguration) -> String {
        var offer = name
        if configuration.noContextTakeover {
            offer += "; server_no_context_takeover; client_no_context_takeover"
        }
        if configuration.peerMaxWindowBits < 15 {
            offer += "; server_max_window_bits=\(configuration.peerMaxWindowBits)"
        }
        offer += "; client_max_window_bits"
        if configuration.maxWindowBits < 15 { offer += "=\(configuration.maxWindowBits)" }
        return offer
    }

    /// Client: what the server's answer agrees on; nil when it agrees on nothing.
    static func confirm(
        _ answer: ExtensionList, _ configuration: DeflateConfiguration?
    ) throws(HandshakeError) -> DeflateParameters? {
        guard let member = answer.members.first else { return nil }
        guard answer.members.count == 1, let configuration, let parameters = Parameters(member) else {
            throw .unexpectedExtension
        }
        // In an answer the parameter needs its value (section 7.1.2.2).
        if parameters.clientMayLimitWindow, parameters.clientMaxWindowBits == nil {
            throw .unexpectedExtension
        }
        let serverBits = parameters.serverMaxWindowBits ?? 15
        if serverBits > configuration.peerMaxWindowBits { throw .unexpectedExtension }
        if configuration.noContextTakeover, !parameters.serverNoContextTakeover { throw .unexpectedExtension }
        var agreed = DeflateParameters()
        agreed.serverNoContextTakeover = parameters.serverNoContextTakeover
        agreed.clientNoContextTakeover =
            parameters.clientNoContextTakeover || configuration.noContextTakeover
        agreed.serverMaxWindowBits = serverBits
        agreed.clientMaxWindowBits = min(parameters.clientMaxWindowBits ?? 15, configuration.maxWindowBits)
        return agreed
    }
}
