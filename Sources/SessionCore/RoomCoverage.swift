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
        /// `unspecified` until the first samples have come: an open stream alone hears nothing.
        var state: HealthState
        var detail: String
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
            room: room, deviceID: deviceID, deviceName: deviceName, state: .unspecified,
            detail: "no sound has arrived yet")
    }

    mutating func closed(_ microphone: Microphone) -> Source? {
        sources.removeValue(forKey: microphone)
    }

    mutating func health(_ microphone: Microphone, state: HealthState, detail: String) -> Source? {
        guard var source = sources[microphone] else { return nil }
        source.state = state
        source.detail = detail
        sources[microphone] = source
        return source
    }

    func microphones(of session: SessionID) -> [Microphone] {
        sources.keys.filter { $0.session == session }.sorted { $0.streamID < $1.streamID }
    }

    /// Whether every open microphone of a device in a room is heard well, and there is one.
    func isHeardWell(room: String, deviceID: String) -> Bool {
        let here = sources.values.filter { $0.room == room && $0.deviceID == deviceID }
        return !here.isEmpty && here.allSatisfy { $0.state == .ok }
    }

    /// Whether some microphone of a device in a room is open.
    func isListening(room: String, deviceID: String) -> Bool {
        sources.values.contains { $0.room == room && $0.deviceID == deviceID }
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
            let detail = (hearing ?? here.first)?.detail ?? ""
            return RoomProtection(room: room, state: hearing == nil ? .unprotected : .reduced, reason: detail)
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
