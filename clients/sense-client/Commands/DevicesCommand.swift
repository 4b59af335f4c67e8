import SenseClientKit
import SenseProtocol

/// `devices`: the paired devices, and taking one's token away.
enum DevicesCommand: Subcommand {
    static let spec = CommandSpec(
        name: "devices", summary: "list paired devices, or revoke one",
        options: [
            OptionSpec("--revoked", nil, "list revoked ones too"),
            OptionSpec("--revoke", "DEVICE_ID", "take its token away; it is cut off at once"),
        ])

    static func run(_ context: CommandContext) async throws -> ExitCode {
        let client = try await Connector(context).connect().client
        if let id = context.arguments.text("--revoke") {
            try await client.send(.revokeDevice(RevokeDevice(deviceId: id)))
        }
        let listsAll = context.arguments.has("--revoked") || context.arguments.has("--revoke")
        let answer = try await client.request(
            .deviceListRequest(DeviceListRequest(includeRevoked: listsAll))
        ) { body in
            if case .deviceList = body { true } else { false }
        }
        await client.leave()
        guard case .deviceList(let list) = answer else { return .serverError }
        for device in list.devices { show(device, context.console) }
        if let id = context.arguments.text("--revoke"),
            list.devices.first(where: { $0.deviceId == id })?.revoked != true
        {
            throw Failure(code: .serverError, message: "there is no device \(id), or it could not be revoked")
        }
        return .ok
    }

    private static func show(_ device: Device, _ console: Console) {
        let state =
            device.revoked
            ? console.style.red("revoked") : device.online ? console.style.green("online") : "offline"
        let seen = device.lastSeenUnixUs > 0 ? ", seen \(CivilTime.text(unixUs: device.lastSeenUnixUs))" : ""
        let battery = (1...100).contains(device.batteryPercent) ? ", battery \(device.batteryPercent) %" : ""
        console.tell(
            "device",
            [
                "device_id": .text(device.deviceId), "name": .text(device.name), "room": .text(device.room),
                "role": .text(device.role.word), "online": .flag(device.online),
                "revoked": .flag(device.revoked),
                "last_seen_unix_us": .unsigned(device.lastSeenUnixUs),
                "battery_percent": .count(device.batteryPercent),
            ],
            "\(device.name.printable.padded(20)) \(device.role.word.padded(10)) \(state)\(battery)\(seen)  "
                + console.style.dim(device.deviceId))
    }
}
