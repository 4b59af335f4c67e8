import Net
import SenseProtocol
import SessionCore
import Storage

/// What people say of alerts, and the time that rooms were heard. On the hub's loop.
extension ProfileHub {
    func storeFeedback(_ feedback: AlertFeedback, _ session: SessionID, _ seq: UInt64) {
        store.addFeedback(
            StoreMapping.record(feedback), alertID: feedback.alertId, profileID: profileID,
            announce: StoreMapping.announcement
        ) { [self] result in
            loop.post { [self] in
                conclude(result, "alert_feedback", feedback.alertId, session, seq) { wasKnown, now, actions in
                    state.feedbackStored(
                        feedback, wasKnown: wasKnown, from: session, seq: seq, at: now, actions: &actions)
                }
                refreshTallies()
            }
        }
    }

    func storeHeard(_ heard: [HeardTime]) {
        store.addHeard(heard.map(StoreMapping.record), profileID: profileID) { [self] result in
            if case .failure(let error) = result { log(.error, "time heard not stored: \(error)") }
            loop.post { [self] in refreshTallies() }
        }
    }

    /// Reads the tallies of the last days again, for the metrics and for what microphones learn. One read at a time: when
    /// a thousand rooms go silent, what changed meanwhile is read once more at its end.
    func refreshTallies() {
        guard tallyRead == .none else {
            tallyRead = .stale
            return
        }
        tallyRead = .running
        store.feedbackTallies(profileID: profileID, nowUnixUs: ServerClock.now().unixUs) { [self] result in
            switch result {
            case .success(let tallies): keep(tallies)
            case .failure(.closed): break
            case .failure(let error): log(.warning, "tallies of \(profileID) not read: \(error)")
            }
            loop.post { [self] in
                let isStale = tallyRead == .stale
                tallyRead = .none
                if isStale { refreshTallies() }
            }
        }
    }

    /// Whether the tallies are being read.
    enum TallyRead { case none, running, stale }
}

/// Rates of the last days, as `history` and the metrics tell them.
struct FeedbackTallies: Sendable, Equatable {
    /// By room and label, most often wrong first.
    var tallies: [FeedbackTally] = []
    /// Seconds heard, by room.
    var heardSeconds: [String: UInt64] = [:]

    /// Puts alerts and hours together.
    init(_ stored: AlertTallies) {
        for room in stored.rooms where room.seconds > 0 { heardSeconds[room.room] = UInt64(room.seconds) }
        tallies = stored.tallies.map { tally in
            FeedbackTally(
                room: tally.room, label: tally.label, alerts: tally.alerts, right: tally.right,
                wrong: tally.wrong, heardSeconds: heardSeconds[tally.room] ?? 0)
        }
    }

    /// Nothing known.
    init() {}
}

extension RecordStore {
    /// What people said of sounds within `FeedbackLimits.windowDays`.
    func feedbackTallies(
        profileID: String, nowUnixUs: UInt64, completion: @escaping StorageCompletion<FeedbackTallies>
    ) {
        let windowUs = FeedbackLimits().windowDays * 86_400_000_000
        alertTallies(
            profileID: profileID, kind: AlertKind.sound.rawValue,
            fromUs: Int64(clamping: nowUnixUs > windowUs ? nowUnixUs - windowUs : 0)
        ) { result in completion(result.map { FeedbackTallies($0) }) }
    }
}
