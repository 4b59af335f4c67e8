/// Some sessions of a profile, in the order of their ids, so that what goes to each of them goes in the same order always.
struct SessionOrder: Sendable {
    private(set) var ids: [SessionID] = []

    mutating func insert(_ id: SessionID) {
        let place = self.place(of: id)
        if place == ids.count || ids[place] != id { ids.insert(id, at: place) }
    }

    mutating func remove(_ id: SessionID) {
        let place = self.place(of: id)
        if place < ids.count, ids[place] == id { ids.remove(at: place) }
    }

    /// Of the first that is not before `id`. Ids grow, so it is nearly always the end.
    private func place(of id: SessionID) -> Int {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
