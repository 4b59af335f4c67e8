extension Store {
    /// See `RecordStore`.
    public func addDrill(
        _ drill: DrillRecord, profileID: String, completion: @escaping StorageCompletion<Void>
    ) {
        write(
            check: { () throws(StorageError) in
                try limits.checkText(drill.room, "room")
                try limits.checkText(drill.alertID, "alert_id")
                try limits.checkText(drill.deviceName, "device_name")
                try limits.checkText(drill.startedBy, "started_by")
            }, completion: completion
        ) { connection throws(StorageError) in try connection.add(drill, of: profileID) }
    }

    /// See `RecordStore`.
    public func drills(profileID: String, completion: @escaping StorageCompletion<[DrillRecord]>) {
        read(completion: completion) { [limits] connection throws(StorageError) in
            try connection.drills(of: profileID, limit: limits.maxPageSize)
        }
    }

    /// See `RecordStore`.
    public func drillRooms(
        profileID: String, completion: @escaping StorageCompletion<[DrillRoomRecord]>
    ) {
        read(completion: completion) { [limits] connection throws(StorageError) in
            try connection.drillRooms(of: profileID, limit: limits.maxDevicesPerProfile)
        }
    }
}
