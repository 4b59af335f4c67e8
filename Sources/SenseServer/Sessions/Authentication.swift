import Net
import SenseProtocol
import SessionCore
import Storage
import TLS

extension ServerServices {
    /// Looks a credential up in the store and answers the session on its loop.
    func authenticate(
        _ credential: Hello.Credential, _ hello: Hello, from peer: SocketAddress?, for session: SessionHandle
    ) {
        switch credential {
        case .token(let token): authenticate(token: token, for: session)
        case .pairingCode(let code): pair(code: code, hello, from: PairingTries.Peer(peer), for: session)
        }
    }

    private func authenticate(token: String, for session: SessionHandle) {
        let refusal = FieldProblem(
            .unauthenticated, field: "hello.token", expected: "a token issued by this server",
            got: "another one",
            isFatal: true)
        store.deviceByTokenHash(SHA256.digest(of: Array(token.utf8))) { [self] result in
            switch result {
            case .success(let device?):
                guard device.revokedUs == nil else {
                    var revoked = refusal
                    revoked.code = .forbidden
                    revoked.got = "one that was revoked"
                    session.onLoop { [revoked] in $0.refused(revoked) }
                    return
                }
                welcome(device, issuedToken: nil, session)
            case .success(nil):
                session.onLoop { $0.refused(refusal) }
            case .failure(let error):
                log(.error, "token look-up failed: \(error)")
                let problem = StoreMapping.problem(error, field: "hello.token")
                session.onLoop { $0.refused(problem) }
            }
        }
    }

    private func pair(
        code: String, _ hello: Hello, from peer: PairingTries.Peer, for session: SessionHandle
    ) {
        let now = ServerClock.now()
        guard let ticket = pairing.takeTry(peer, at: now) else {
            session.onLoop {
                $0.refused(
                    FieldProblem(
                        .tooFast, field: "hello.pairing_code", expected: "a few tries a minute", got: "more",
                        isFatal: true, retryAfterMs: PairingDesk.lockoutMs))
            }
            return
        }
        let token = PairingDesk.makeToken()
        let redemption = PairingRedemption(
            codeHash: PairingDesk.hash(ofCode: code), deviceID: PairingDesk.makeDeviceID(),
            name: hello.deviceName.isEmpty ? "device" : hello.deviceName, room: hello.room,
            tokenHash: SHA256.digest(of: Array(token.utf8)), nowUs: Int64(clamping: now.unixUs))
        store.redeemPairingCode(redemption) { [self] result in
            switch result {
            case .success(let device):
                pairing.giveBack(ticket)
                log(.info, "paired device \(device.deviceID) of profile \(device.profileID)")
                welcome(device, issuedToken: token, session)
            case .failure(let error):
                if case .pairingRefused = error {} else { pairing.giveBack(ticket) }
                let problem = StoreMapping.problem(error, field: "hello.pairing_code")
                session.onLoop { $0.refused(problem) }
            }
        }
    }

    private func welcome(_ device: DeviceRecord, issuedToken: String?, _ session: SessionHandle) {
        guard let hub = hubs[device.profileID] else {
            session.onLoop {
                $0.refused(
                    FieldProblem(
                        .internal, field: "hello.token", expected: "a device of a loaded profile",
                        got: "profile \(device.profileID)", isFatal: true))
            }
            return
        }
        store.touchDevice(device.deviceID, nowUs: Int64(clamping: ServerClock.now().unixUs)) { [log] result in
            if case .failure(let error) = result { log(.warning, "last contact not saved: \(error)") }
        }
        store.eventRange(profileID: device.profileID) { result in
            switch result {
            case .success(let range):
                let identity = Identity(
                    deviceID: device.deviceID, profileID: device.profileID, role: Role(rawValue: device.role),
                    issuedToken: issuedToken, acknowledgedEventID: UInt64(clamping: device.ackedEventID),
                    latestEventID: UInt64(clamping: range.last),
                    oldestEventID: UInt64(clamping: range.lowestRetained))
                session.onLoop { $0.authenticated(identity, hub: hub) }
            case .failure(let error):
                let problem = StoreMapping.problem(error, field: "hello")
                session.onLoop { $0.refused(problem) }
            }
        }
    }
}
