import SenseProtocol

/// Which rooms are heard. A room is protected while at least one of its microphones is healthy.
struct RoomCoverage: Sendable {
    struct Microphone: Sendable, Hashable {
        var session: SessionID
        var streamID: UInt32
    }

    struct Source: Sendable {
        var room: String
        var deviceID: String
        var deviceName: String
        var state: HealthState
        var detail: String
    }

    private(set) var sources: [Microphone: Source] = [:]
    /// Rooms that once had a microphone; they stay listed as unprotected when it is gone.
    private(set) var knownRooms: Set<String>

    init(knownRooms: Set<String> = []) { self.knownRooms = knownRooms }

    mutating func opened(_ microphone: Microphone, room: String, deviceID: String, deviceName: String) {
        knownRooms.insert(room)
        sources[microphone] = Source(
            room: room, deviceID: deviceID, deviceName: deviceName, state: .ok, detail: "")
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

    /// The wire list, sorted by room.
    func protections() -> [RoomProtection] {
        knownRooms.sorted().map { room in
            let here = sources.values.filter { $0.room == room }
            if here.isEmpty {
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
