import Foundation
import Storage

/// A folder for one test, deleted with the value.
final class TemporaryFolder {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var storePath: String { path + "/sense.sqlite3" }

    func mode(of name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
        return (attributes[.posixPermissions] as? Int) ?? -1
    }
}

/// An open store with the profile `p`, closed and deleted with the value.
final class TemporaryStore {
    let folder: TemporaryFolder
    let store: Store

    init(limits: StorageLimits = StorageLimits()) throws {
        folder = try TemporaryFolder()
        store = try Store(path: folder.storePath, limits: limits, nowUs: 1)
        let profile = ProfileRecord(profileID: "p", displayName: "Pia", language: "de", createdUs: 2)
        _ = try store.wait { store.openOrCreateProfile(profile, completion: $0) }
    }

    deinit { store.close() }

    func pair(_ deviceID: String, at nowUs: Int64 = 10) async throws -> DeviceRecord {
        let store = store
        let code = NewPairingCode(
            codeHash: hash(deviceID + " code"), profileID: "p", role: 1, createdUs: nowUs,
            expiresUs: nowUs + 100)
        try await store.result { store.createPairingCode(code, completion: $0) }
        let request = PairingRedemption(
            codeHash: code.codeHash, deviceID: deviceID, name: "Phone", room: "hall",
            tokenHash: hash(deviceID), nowUs: nowUs)
        return try await store.result { store.redeemPairingCode(request, completion: $0) }
    }

    @discardableResult
    func append(_ updates: AlertUpdate...) async throws -> [AnnouncedAlert] {
        let store = store
        return try await store.result { store.appendAlertEvents(updates, completion: $0) }
    }

    func answer(
        _ alertID: String, _ kind: StoredReceiptKind, by deviceID: String = "d", at us: Int64 = 500,
        note: String = ""
    ) async throws -> ReceiptOutcome {
        let store = store
        let receipt = ReceiptRecord(deviceID: deviceID, kind: kind, receivedUs: us, note: note)
        return try await store.result {
            store.addReceipt(
                receipt, alertID: alertID, profileID: "p", announce: announcement, completion: $0)
        }
    }

    func events(after eventID: Int64 = 0, limit: Int = 1_000) async throws -> [DurableEvent] {
        let store = store
        return try await store.result {
            store.eventsAfter(eventID, profileID: "p", limit: limit, completion: $0)
        }
    }

    func history(_ filter: HistoryFilter) async throws -> HistoryRecordPage {
        let store = store
        return try await store.result { store.history(filter, completion: $0) }
    }
}

/// Tells revision and disposition, so that a test sees what was announced.
let announcement: AlertAnnouncement = { Array("r\($0.revision) d\($0.disposition.rawValue)".utf8) }

/// 32 bytes that differ for different short texts.
func hash(_ text: String) -> [UInt8] {
    Array((Array(text.utf8) + [UInt8](repeating: 0, count: 32)).prefix(32))
}

func siren(
    _ alertID: String, startedUs: Int64 = 100, endedUs: Int64? = nil, label: String = "siren",
    kind: Int32 = 1, urgency: Int32 = 3, isTold: Bool = true
) -> AlertUpdate {
    AlertUpdate(
        alertID: alertID, profileID: "p", deviceID: "d", room: "kitchen", streamID: 7, kind: kind,
        label: label, urgency: urgency, confidence: 0.75, startedUs: startedUs,
        updatedUs: endedUs ?? startedUs, endedUs: endedUs, endReason: endedUs == nil ? "" : "quiet",
        haptic: [1, 2, 3], payload: Array("\(label) \(alertID)".utf8),
        isTold: isTold)
}
