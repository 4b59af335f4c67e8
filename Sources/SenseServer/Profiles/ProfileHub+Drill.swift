import Net
import SessionCore
import Storage

extension ProfileHub {
    /// Keeps how a drill ended. On the hub's loop.
    func storeDrill(_ drill: DrillResult) {
        store.addDrill(StoreMapping.record(drill), profileID: profileID) { [self] result in
            var isStored = true
            if case .failure(let error) = result {
                isStored = false
                log(.error, "drill of the room \(drill.room) not stored: \(error)")
            }
            loop.post { [self, isStored] in
                run { now, actions in
                    state.drillStored(drill, isStored: isStored, at: now, actions: &actions)
                }
            }
        }
    }
}
