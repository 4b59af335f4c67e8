extension Connection {
    private static let deviceColumns =
        """
        device_id, profile_id, name, room, role, created_us, last_seen_us, revoked_us, acked_event_id
        """

    /// Stores a code; those of the profile that are expired go away, and a start code replaces an unused one.
    func create(_ code: NewPairingCode, limits: StorageLimits) throws(StorageError) {
        _ = try profile(code.profileID)
        try run(
            "DELETE FROM pairing_codes WHERE profile_id = ? AND expires_us <= ?", .text(code.profileID),
            .integer(code.createdUs))
        switch code.purpose {
        case .start:
            try run(
                "DELETE FROM pairing_codes WHERE profile_id = ? AND purpose = ? AND used_us IS NULL",
                .text(code.profileID), .integer(Int64(code.purpose.rawValue)))
        case .device: break
        }
        let open = try first(
            "SELECT count(*) FROM pairing_codes WHERE profile_id = ? AND purpose = ? AND used_us IS NULL",
            .text(code.profileID), .integer(Int64(code.purpose.rawValue))
        ) { $0.int64(0) }
        guard (open ?? 0) < limits.maxOpenPairingCodes else {
            throw .invalid(
                field: "pairing_code", expected: "at most \(limits.maxOpenPairingCodes) unused codes",
                got: "one more")
        }
        let added = try run(
            """
            INSERT INTO pairing_codes (code_hash, profile_id, role, created_us, expires_us, purpose)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """, .blob(code.codeHash), .text(code.profileID), .integer(Int64(code.role)),
            .integer(code.createdUs), .integer(code.expiresUs), .integer(Int64(code.purpose.rawValue)))
        guard added == 1 else { throw .alreadyExists(.pairingCode) }
    }

    /// Uses a code up and makes its device, both or neither.
    func redeem(_ request: PairingRedemption, limits: StorageLimits) throws(StorageError) -> DeviceRecord {
        let code = try first(
            "SELECT profile_id, role, expires_us, used_us FROM pairing_codes WHERE code_hash = ?",
            .blob(request.codeHash)
        ) {
            (profileID: $0.text(0), role: $0.int32(1), expiresUs: $0.int64(2), isUsed: !$0.isNull(3))
        }
        guard let code else { throw .pairingRefused(.unknown) }
        guard !code.isUsed else { throw .pairingRefused(.used) }
        guard request.nowUs < code.expiresUs else { throw .pairingRefused(.expired) }
        let active = try first(
            "SELECT count(*) FROM devices WHERE profile_id = ? AND revoked_us IS NULL", .text(code.profileID)
        ) { $0.int64(0) }
        guard (active ?? 0) < limits.maxDevicesPerProfile else {
            throw .invalid(
                field: "device", expected: "at most \(limits.maxDevicesPerProfile) devices", got: "one more")
        }
        try run(
            "UPDATE pairing_codes SET used_us = ?, used_by = ? WHERE code_hash = ?", .integer(request.nowUs),
            .text(request.deviceID), .blob(request.codeHash))
        let added = try run(
            """
            INSERT INTO devices
            (device_id, profile_id, name, room, role, token_hash, created_us, last_seen_us)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """, .text(request.deviceID), .text(code.profileID), .text(request.name), .text(request.room),
            .integer(Int64(code.role)), .blob(request.tokenHash), .integer(request.nowUs),
            .integer(request.nowUs))
        guard added == 1 else { throw .alreadyExists(.device) }
        return try device(request.deviceID)
    }

    func device(_ deviceID: String) throws(StorageError) -> DeviceRecord {
        let found = try first(
            "SELECT \(Self.deviceColumns) FROM devices WHERE device_id = ?", .text(deviceID),
            read: Self.readDevice)
        guard let found else { throw .notFound(.device) }
        return found
    }

    /// What people call the sender of a receipt: the name of the device, or the id where it is no device or has
    /// no name.
    func name(of deviceID: String) throws(StorageError) -> String {
        let name = try first("SELECT name FROM devices WHERE device_id = ?", .text(deviceID)) { $0.text(0) }
        guard let name, !name.isEmpty else { return deviceID }
        return name
    }

    /// The device whose token has this hash, revoked or not; nil if there is none.
    func device(tokenHash: [UInt8]) throws(StorageError) -> DeviceRecord? {
        try first(
            "SELECT \(Self.deviceColumns) FROM devices WHERE token_hash = ?", .blob(tokenHash),
            read: Self.readDevice)
    }

    func devices(of profileID: String, includeRevoked: Bool) throws(StorageError) -> [DeviceRecord] {
        try rows(
            """
            SELECT \(Self.deviceColumns) FROM devices
            WHERE profile_id = ?1 AND (?2 OR revoked_us IS NULL) ORDER BY created_us, device_id
            """, .text(profileID), .integer(includeRevoked ? 1 : 0), read: Self.readDevice)
    }

    func touch(_ deviceID: String, nowUs: Int64) throws(StorageError) {
        let changed = try run(
            "UPDATE devices SET last_seen_us = max(last_seen_us, ?) WHERE device_id = ?", .integer(nowUs),
            .text(deviceID))
        guard changed == 1 else { throw .notFound(.device) }
    }

    func revoke(_ deviceID: String, nowUs: Int64) throws(StorageError) -> DeviceRecord {
        try run(
            "UPDATE devices SET revoked_us = coalesce(revoked_us, ?) WHERE device_id = ?", .integer(nowUs),
            .text(deviceID))
        return try device(deviceID)
    }

    /// Moves a device's cursor forward; never back, and never past the last event.
    func acknowledge(_ deviceID: String, upTo eventID: Int64) throws(StorageError) -> Int64 {
        let device = try device(deviceID)
        let last = try profile(device.profileID).lastEventID
        guard (0...last).contains(eventID) else {
            throw .invalid(field: "event_id", expected: "0…\(last)", got: "\(eventID)")
        }
        let cursor = max(device.ackedEventID, eventID)
        try run(
            "UPDATE devices SET acked_event_id = ? WHERE device_id = ?", .integer(cursor), .text(deviceID))
        return cursor
    }

    private static func readDevice(_ row: borrowing Row) -> DeviceRecord {
        DeviceRecord(
            deviceID: row.text(0), profileID: row.text(1), name: row.text(2), room: row.text(3),
            role: row.int32(4), createdUs: row.int64(5), lastSeenUs: row.int64(6),
            revokedUs: row.optionalInt64(7), ackedEventID: row.int64(8))
    }
}
