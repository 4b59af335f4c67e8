import Net
import SenseProtocol
import SessionCore
import Storage

/// The people of the store, taken up at start: what was left open by a crash is ended and stays visible.
struct People {
    let hubs: [String: ProfileHub]
    /// Rooms of all paired devices.
    let rooms: [String]

    /// Loads every profile; makes the first one on a new installation.
    /// - Throws: `ServerError` if the store does not answer.
    static func load(store: Store, loop: EventLoop, limits: SessionLimits, log: Log) throws(ServerError)
        -> People
    {
        do throws(StorageError) {
            return try take(store, loop, limits, log)
        } catch {
            throw ServerError(
                what: "store", reason: "\(error)", advice: "The server does not start without its store.")
        }
    }

    private static func take(_ store: Store, _ loop: EventLoop, _ limits: SessionLimits, _ log: Log)
        throws(StorageError) -> People
    {
        let now = ServerClock.now()
        let nowUs = Int64(clamping: now.unixUs)
        _ = try store.wait { done in
            store.openOrCreateProfile(
                ProfileRecord(profileID: Server.firstProfileID, displayName: "Home", createdUs: nowUs),
                completion: done)
        }
        let orphans = try store.wait { done in
            // A room that was not heard is still not heard until a microphone says otherwise, and one that was not
            // tested is still not tested.
            store.closeOrphans(
                except: [AlertKind.cannotHear.rawValue, AlertKind.drill.rawValue],
                reason: "the server stopped while it went on",
                nowUs: nowUs,
                announce: StoreMapping.announcement,
                completion: done)
        }
        if !orphans.isEmpty { log(.warning, "\(orphans.count) alerts were cut short by the last stop") }
        var hubs: [String: ProfileHub] = [:]
        var rooms: Set<String> = []
        for profile in try store.wait(for: { done in store.profiles(completion: done) }) {
            let id = profile.profileID
            let open = try store.wait { done in store.openAlerts(profileID: id, completion: done) }
            let range = try store.wait { done in store.eventRange(profileID: id, completion: done) }
            let devices = try store.wait { done in
                store.listDevices(profileID: id, includeRevoked: false, completion: done)
            }
            let drills = try store.wait { done in store.drillRooms(profileID: id, completion: done) }
            let roomOfDevice = Dictionary(
                devices.map { ($0.deviceID, $0.room) }, uniquingKeysWith: { first, _ in first })
            rooms.formUnion(devices.map(\.room).filter { !$0.isEmpty })
            var state = ProfileState(
                profileID: id, idPrefix: PairingDesk.makeDeviceID(),
                latestEventID: UInt64(clamping: range.last),
                rooms: roomOfDevice, openAlerts: open.compactMap { StoreMapping.alert($0) },
                drillRooms: drills.map(StoreMapping.drillRoom), limits: limits,
                now: now)
            let settings = AlertSettings(
                StoreMapping.wire(
                    try store.wait { done in store.settings(profileID: id, since: 0, completion: done) }))
            state.serverOffsetSeconds = ServerClock.utcOffsetSeconds(unixUs: now.unixUs)
            state.takeUp(settings, recent: try lastDay(of: id, store, nowUs), at: now)
            let hub = ProfileHub(
                profileID: id, state: state, alertSettings: settings, loop: loop, store: store, log: log)
            hub.start()
            hubs[id] = hub
        }
        return People(hubs: hubs, rooms: rooms.sorted())
    }

    /// Alerts of the last day, oldest first; of more than a thousand the newest.
    private static func lastDay(of id: String, _ store: Store, _ nowUs: Int64) throws(StorageError) -> [Alert]
    {
        var filter = HistoryFilter(profileID: id, fromUs: max(0, nowUs - 86_400_000_000), pageSize: 200)
        var alerts: [Alert] = []
        for _ in 0..<5 {
            let page = try store.wait { done in store.history(filter, completion: done) }
            alerts += page.entries.compactMap { StoreMapping.alert($0.alert) }
            filter.pageToken = page.nextPageToken
            if filter.pageToken.isEmpty { break }
        }
        return alerts.reversed()
    }
}
