import Storage
import Testing

@Suite struct DevicesTests {
    @Test func aCodePairsOneDeviceOnce() async throws {
        let test = try TemporaryStore()
        let store = test.store
        let device = try await test.pair("phone", at: 10)
        #expect(
            device
                == DeviceRecord(
                    deviceID: "phone", profileID: "p", name: "Phone", room: "hall", role: 1, createdUs: 10,
                    lastSeenUs: 10))
        let again = PairingRedemption(
            codeHash: hash("phone code"), deviceID: "thief", name: "", room: "", tokenHash: hash("thief"),
            nowUs: 11)
        await #expect(throws: StorageError.pairingRefused(.used)) {
            try await store.result { store.redeemPairingCode(again, completion: $0) }
        }
        let found = try await store.result { store.deviceByTokenHash(hash("phone"), completion: $0) }
        #expect(found == device)
        #expect(try await store.result { store.deviceByTokenHash(hash("thief"), completion: $0) } == nil)
    }

    @Test func unknownAndExpiredCodesAreRefused() async throws {
        let test = try TemporaryStore()
        let store = test.store
        let code = NewPairingCode(
            codeHash: hash("c"), profileID: "p", role: 2, createdUs: 0, expiresUs: 100)
        try await store.result { store.createPairingCode(code, completion: $0) }
        func redeem(_ code: String, at nowUs: Int64) async throws -> DeviceRecord {
            let request = PairingRedemption(
                codeHash: hash(code), deviceID: "d", name: "", room: "", tokenHash: hash("d"), nowUs: nowUs)
            return try await store.result { store.redeemPairingCode(request, completion: $0) }
        }
        await #expect(throws: StorageError.pairingRefused(.unknown)) { _ = try await redeem("x", at: 1) }
        await #expect(throws: StorageError.pairingRefused(.expired)) { _ = try await redeem("c", at: 100) }
        #expect(try await redeem("c", at: 99).role == 2)
    }

    /// A device that cannot be made must not use the code up.
    @Test func aFailedPairingLeavesTheCodeUnused() async throws {
        let test = try TemporaryStore()
        let store = test.store
        _ = try await test.pair("taken")
        let code = NewPairingCode(
            codeHash: hash("c"), profileID: "p", role: 1, createdUs: 0, expiresUs: 100)
        try await store.result { store.createPairingCode(code, completion: $0) }
        func redeem(as deviceID: String) async throws -> DeviceRecord {
            let request = PairingRedemption(
                codeHash: hash("c"), deviceID: deviceID, name: "", room: "", tokenHash: hash("new"), nowUs: 1)
            return try await store.result { store.redeemPairingCode(request, completion: $0) }
        }
        await #expect(throws: StorageError.alreadyExists(.device)) { _ = try await redeem(as: "taken") }
        #expect(try await redeem(as: "free").deviceID == "free")
    }

    @Test func unusedCodesAndDevicesAreLimited() async throws {
        var limits = StorageLimits()
        limits.maxOpenPairingCodes = 2
        limits.maxDevicesPerProfile = 1
        let test = try TemporaryStore(limits: limits)
        let store = test.store
        func create(_ code: String, at nowUs: Int64 = 0) async throws {
            let code = NewPairingCode(
                codeHash: hash(code), profileID: "p", role: 1, createdUs: nowUs, expiresUs: nowUs + 100)
            try await store.result { store.createPairingCode(code, completion: $0) }
        }
        try await create("1")
        await #expect(throws: StorageError.alreadyExists(.pairingCode)) { try await create("1") }
        try await create("2")
        await #expect(throws: StorageError.self) { try await create("3") }
        try await create("3", at: 200)  // the first two are expired by now
        _ = try await test.pair("only", at: 200)
        await #expect(throws: StorageError.self) { _ = try await test.pair("second", at: 200) }
        _ = try await store.result { store.revokeDevice("only", nowUs: 300, completion: $0) }
        _ = try await test.pair("third", at: 500)
    }

    /// Before, a server that was started 17 times in a day had no pairing code any more.
    @Test func aStartCodeReplacesTheUnusedOne() async throws {
        var limits = StorageLimits()
        limits.maxOpenPairingCodes = 2
        let test = try TemporaryStore(limits: limits)
        let store = test.store
        func create(_ code: String, _ purpose: PairingCodePurpose) async throws {
            let code = NewPairingCode(
                codeHash: hash(code), profileID: "p", role: 1, createdUs: 0, expiresUs: 100, purpose: purpose)
            try await store.result { store.createPairingCode(code, completion: $0) }
        }
        func redeem(_ code: String) async throws {
            let request = PairingRedemption(
                codeHash: hash(code), deviceID: code, name: "", room: "", tokenHash: hash(code), nowUs: 1)
            _ = try await store.result { store.redeemPairingCode(request, completion: $0) }
        }
        try await create("device 1", .device)
        try await create("device 2", .device)
        for number in 1...20 { try await create("start \(number)", .start) }
        await #expect(throws: StorageError.pairingRefused(.unknown)) { try await redeem("start 19") }
        for code in ["start 20", "device 1", "device 2"] { try await redeem(code) }
        // A used code stays known as used.
        try await create("start 21", .start)
        await #expect(throws: StorageError.pairingRefused(.used)) { try await redeem("start 20") }
    }

    @Test func revokingLastsAndListsCanLeaveItOut() async throws {
        let test = try TemporaryStore()
        let store = test.store
        _ = try await test.pair("a", at: 1)
        _ = try await test.pair("b", at: 2)
        try await store.result { store.touchDevice("b", nowUs: 50, completion: $0) }
        try await store.result { store.touchDevice("b", nowUs: 40, completion: $0) }
        for nowUs in [60, 70] as [Int64] {
            let revoked = try await store.result { store.revokeDevice("a", nowUs: nowUs, completion: $0) }
            #expect(revoked.revokedUs == 60)
        }
        func list(_ includeRevoked: Bool) async throws -> [DeviceRecord] {
            try await store.result {
                store.listDevices(profileID: "p", includeRevoked: includeRevoked, completion: $0)
            }
        }
        #expect(try await list(true).map(\.deviceID) == ["a", "b"])
        #expect(try await list(false).map(\.lastSeenUs) == [50])
        #expect(
            try await store.result { store.deviceByTokenHash(hash("a"), completion: $0) }?.revokedUs == 60)
        await #expect(throws: StorageError.notFound(.device)) {
            try await store.result { store.revokeDevice("x", nowUs: 1, completion: $0) }
        }
        await #expect(throws: StorageError.notFound(.device)) {
            try await store.result { store.touchDevice("x", nowUs: 1, completion: $0) }
        }
    }

    @Test func aHashOfTheWrongLengthIsRefused() async throws {
        let test = try TemporaryStore()
        let store = test.store
        await #expect(
            throws: StorageError.invalid(field: "token_hash", expected: "32 bytes", got: "31 bytes")
        ) {
            try await store.result {
                store.deviceByTokenHash([UInt8](repeating: 1, count: 31), completion: $0)
            }
        }
    }
}
