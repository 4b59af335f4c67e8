// A store under load that is meant to be killed: the crash test starts it, reads what it acknowledges, ends it
// with SIGKILL, and then looks for every acknowledged line in the store.
//
//   storage-crash-writer STORE ROUND [REQUESTS-AT-A-TIME]
//
// Prints one line for each completed write, after its completion: `event ID ALERT`, `receipt ALERT`,
// `setting KEY VALUE`. Runs until it is killed or its standard input ends.
//
// Invariant that makes it safe: the one pointer is a Swift string's own bytes for the length of `write`.

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif
import Storage

/// Prints in one system call, so that a line is there as a whole or not at all.
nonisolated func say(_ line: String) {
    var text = line + "\n"
    text.withUTF8 { _ = unsafe write(1, $0.baseAddress, $0.count) }
}

nonisolated func fail(_ error: StorageError) -> Never {
    say("error \(error)")
    exit(1)
}

/// One of many writers that each have one request on its way at any time.
struct Chain: Sendable {
    let store: Store
    let round: String
    let number: Int

    func run(step: Int, settingRevision: Int64) {
        let alertID = "\(round)-\(number)-\(step)"
        let update = AlertUpdate(
            alertID: alertID, profileID: "p", deviceID: "d", room: "kitchen", streamID: 1, kind: 1,
            label: "siren", urgency: 3, confidence: 0.9, startedUs: Int64(step), updatedUs: Int64(step),
            payload: Array(alertID.utf8))
        store.appendAlertEvents([update]) { result in
            guard let event = value(of: result).first else { fail(.closed) }
            say("event \(event.eventID) \(alertID)")
            answer(alertID, step, settingRevision)
        }
    }

    private func answer(_ alertID: String, _ step: Int, _ settingRevision: Int64) {
        let receipt = ReceiptRecord(deviceID: "d", kind: .acknowledgedByHuman, receivedUs: Int64(step))
        let announce: AlertAnnouncement = { _ in Array("answer".utf8) }
        store.addReceipt(receipt, alertID: alertID, profileID: "p", announce: announce) { result in
            _ = value(of: result)
            say("receipt \(alertID)")
            set(step, settingRevision)
        }
    }

    private func set(_ step: Int, _ settingRevision: Int64) {
        let key = "\(round).\(number)"
        let change = SettingsEdit.Change(key: key, value: Array(String(step).utf8))
        let edit = SettingsEdit(
            profileID: "p", baseRevision: settingRevision, changes: [change], deviceID: "d", nowUs: 0)
        store.editSettings(edit) { result in
            say("setting \(key) \(step)")
            run(step: step + 1, settingRevision: value(of: result).revision)
        }
    }

    private func value<Value>(of result: Result<Value, StorageError>) -> Value {
        switch result {
        case .success(let value): value
        case .failure(let error): fail(error)
        }
    }
}

guard (3...4).contains(CommandLine.arguments.count) else {
    fail(.cannotOpen(path: "", reason: "usage: STORE ROUND [REQUESTS-AT-A-TIME]"))
}
let chains = CommandLine.arguments.count == 4 ? Int(CommandLine.arguments[3]) ?? 16 : 16
do throws(StorageError) {
    let store = try Store(path: CommandLine.arguments[1], nowUs: 0)
    let profile = ProfileRecord(profileID: "p", displayName: "P", createdUs: 0)
    let base = try store.wait { store.openOrCreateProfile(profile, completion: $0) }.settingsRevision
    for number in 0..<max(1, chains) {
        Chain(store: store, round: CommandLine.arguments[2], number: number).run(
            step: 0, settingRevision: base)
    }
    while readLine() != nil {}
} catch {
    fail(error)
}
