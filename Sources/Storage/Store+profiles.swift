extension Store {
    /// See `RecordStore`.
    public func openOrCreateProfile(
        _ profile: ProfileRecord, completion: @escaping StorageCompletion<ProfileRecord>
    ) {
        write(
            check: { () throws(StorageError) in
                try limits.checkID(profile.profileID, "profile_id")
                try limits.checkText(profile.displayName, "display_name")
                try limits.checkText(profile.language, "language")
            }, completion: completion
        ) { connection throws(StorageError) in try connection.openOrCreate(profile) }
    }

    /// See `RecordStore`.
    public func profiles(completion: @escaping StorageCompletion<[ProfileRecord]>) {
        read(completion: completion) { connection throws(StorageError) in try connection.profiles() }
    }

    /// See `RecordStore`.
    public func createPairingCode(_ code: NewPairingCode, completion: @escaping StorageCompletion<Void>) {
        write(
            check: { () throws(StorageError) in
                try limits.checkHash(code.codeHash, "code_hash")
                try limits.checkID(code.profileID, "profile_id")
            }, completion: completion
        ) { [limits] connection throws(StorageError) in try connection.create(code, limits: limits) }
    }

    /// See `RecordStore`.
    public func redeemPairingCode(
        _ request: PairingRedemption, completion: @escaping StorageCompletion<DeviceRecord>
    ) {
        write(
            check: { () throws(StorageError) in
                try limits.checkHash(request.codeHash, "code_hash")
                try limits.checkHash(request.tokenHash, "token_hash")
                try limits.checkID(request.deviceID, "device_id")
                try limits.checkText(request.name, "name")
                try limits.checkText(request.room, "room")
            }, completion: completion
        ) { [limits] connection throws(StorageError) in try connection.redeem(request, limits: limits) }
    }

    /// See `RecordStore`.
    public func deviceByTokenHash(
        _ tokenHash: [UInt8], completion: @escaping StorageCompletion<DeviceRecord?>
    ) {
        read(
            check: { () throws(StorageError) in try limits.checkHash(tokenHash, "token_hash") },
            completion: completion
        ) { connection throws(StorageError) in try connection.device(tokenHash: tokenHash) }
    }

    /// See `RecordStore`.
    public func touchDevice(_ deviceID: String, nowUs: Int64, completion: @escaping StorageCompletion<Void>) {
        write(completion: completion) { connection throws(StorageError) in
            try connection.touch(deviceID, nowUs: nowUs)
        }
    }

    /// See `RecordStore`.
    public func revokeDevice(
        _ deviceID: String, nowUs: Int64, completion: @escaping StorageCompletion<DeviceRecord>
    ) {
        write(completion: completion) { connection throws(StorageError) in
            try connection.revoke(deviceID, nowUs: nowUs)
        }
    }

    /// See `RecordStore`.
    public func listDevices(
        profileID: String, includeRevoked: Bool, completion: @escaping StorageCompletion<[DeviceRecord]>
    ) {
        read(completion: completion) { connection throws(StorageError) in
            try connection.devices(of: profileID, includeRevoked: includeRevoked)
        }
    }

    /// See `RecordStore`.
    public func settings(
        profileID: String, since revision: Int64, completion: @escaping StorageCompletion<StoredSettings>
    ) {
        read(completion: completion) { connection throws(StorageError) in
            try connection.settings(of: profileID, since: revision)
        }
    }

    /// See `RecordStore`.
    public func editSettings(_ edit: SettingsEdit, completion: @escaping StorageCompletion<StoredSettings>) {
        write(
            bytes: edit.changes.reduce(0) { $0 + ($1.value?.count ?? 0) },
            check: { () throws(StorageError) in try limits.check(edit) }, completion: completion
        ) { [limits] connection throws(StorageError) in try connection.apply(edit, limits: limits) }
    }

    /// See `RecordStore`.
    public func applyRetention(nowUs: Int64, completion: @escaping StorageCompletion<RetentionOutcome>) {
        write(completion: completion) { [limits] connection throws(StorageError) in
            try connection.applyRetention(nowUs: nowUs, limits: limits)
        }
    }
}
