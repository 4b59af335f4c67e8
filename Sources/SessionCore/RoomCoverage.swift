import SenseProtocol

/// Which rooms are heard. A room is protected while at least one of its microphones is healthy.
///
/// Bounded: one room a paired device, and the microphones that are open.
struct RoomCoverage: Sendable {
    struct Microphone: Sendable, Hashable {
        var session: SessionID
        var streamID: UInt32
    }

    struct Source: Sendable {
        var room: String
        var deviceID: String
        var deviceName: String
        /// Worst first; empty = heard well. `unspecified` until the first sound has come: an open stream alone hears
        /// nothing.
        var faults: [HearingFault]

        /// The worst fault, or `ok`.
        var state: HealthState { faults.first?.state ?? .ok }
    }

    private(set) var sources: [Microphone: Source] = [:] { didSet { version &+= 1 } }
    /// Where each paired device stands; its room stays listed as unprotected when the device is gone.
    private(set) var roomOfDevice: [String: String] { didSet { version &+= 1 } }
    /// Changes whenever ``protections()`` may have changed.
    private(set) var version: UInt64 = 0

    init(rooms: [String: String] = [:]) { roomOfDevice = rooms.filter { !$0.value.isEmpty } }

    /// A device said where it stands. Returns the room it has left, if any.
    mutating func placed(deviceID: String, room: String) -> String? {
        let old = roomOfDevice[deviceID]
        guard old != room else { return nil }
        roomOfDevice[deviceID] = room.isEmpty ? nil : room
        return old
    }

    mutating func opened(_ microphone: Microphone, room: String, deviceID: String, deviceName: String) {
        sources[microphone] = Source(
            room: room, deviceID: deviceID, deviceName: deviceName,
            faults: [HearingFault(.unspecified, "No sound has arrived yet.")])
    }

    mutating func closed(_ microphone: Microphone) -> Source? {
        sources.removeValue(forKey: microphone)
    }

    mutating func health(_ microphone: Microphone, _ faults: [HearingFault]) -> Source? {
        guard var source = sources[microphone] else { return nil }
        source.faults = faults
        sources[microphone] = source
        return source
    }

    func microphones(of session: SessionID) -> [Microphone] {
        sources.keys.filter { $0.session == session }.sorted { $0.streamID < $1.streamID }
    }

    /// Open microphones of a device in a room, older ones first.
    func microphones(room: String, deviceID: String) -> [(microphone: Microphone, source: Source)] {
        sources.filter { $0.value.room == room && $0.value.deviceID == deviceID }
            .map { ($0.key, $0.value) }
            .sorted { ($0.0.session, $0.0.streamID) < ($1.0.session, $1.0.streamID) }
    }

    /// Rooms with an open microphone, heard or not.
    var roomsWithMicrophone: Set<String> { Set(sources.values.map(\.room)) }

    /// Rooms whose sound reaches the detectors now, at its best or not.
    var heardRooms: Set<String> {
        var rooms: Set<String> = []
        for source in sources.values where source.state.isStillHeard { rooms.insert(source.room) }
        return rooms
    }

    /// The wire list, sorted by room.
    func protections() -> [RoomProtection] {
        let byRoom = Dictionary(grouping: sources.values, by: \.room)
        let rooms = Set(roomOfDevice.values).union(byRoom.keys)
        return rooms.sorted().map { room in
            guard let here = byRoom[room] else {
                return RoomProtection(room: room, state: .unprotected, reason: "no microphone is connected")
            }
            if here.contains(where: { $0.state == .ok }) {
                return RoomProtection(room: room, state: .protected, reason: "")
            }
            let hearing = here.first { $0.state.isStillHeard }
            let details = (hearing ?? here.first)?.faults.map(\.detail) ?? []
            return RoomProtection(
                room: room, state: hearing == nil ? .unprotected : .reduced,
                reason: details.joined(separator: " "))
        }
    }
}

extension HealthState {
    /// Sound still reaches the detectors, though not at its best.
    var isStillHeard: Bool {
        switch self {
        case .ok, .clipped, .tooQuiet, .voiceProcessed: true
        case .silent, .stalled, .rateMismatch, .detectorBehind, .unspecified, .unrecognized: false
        }
    }
}
