/// The few streams of one session by their ids.
///
/// A session has at most `SessionLimits.maxStreams`, so looking through an array costs less than hashing; and what lies
/// in `contents` is changed in its place, without being moved out and in again for each frame.
struct StreamTable<Content: Sendable>: Sendable {
    /// Ids in the order of their opening.
    private(set) var keys: [UInt32] = []
    /// What belongs to `keys`, place by place.
    var contents: [Content] = []

    var count: Int { keys.count }

    var isEmpty: Bool { keys.isEmpty }

    /// Where `id` lies in `contents`; nil if it is not open.
    func place(of id: UInt32) -> Int? { keys.firstIndex(of: id) }

    /// A copy of what belongs to `id`. To change large contents in place, use `place(of:)`.
    subscript(id: UInt32) -> Content? {
        get { place(of: id).map { contents[$0] } }
        set {
            switch (place(of: id), newValue) {
            case (let place?, let content?): contents[place] = content
            case (nil, let content?):
                keys.append(id)
                contents.append(content)
            case (let place?, nil):
                keys.remove(at: place)
                contents.remove(at: place)
            case (nil, nil): break
            }
        }
    }

    mutating func removeAll() { self = StreamTable() }
}
