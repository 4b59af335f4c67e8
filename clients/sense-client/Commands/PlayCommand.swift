import SenseClientKit
import SenseProtocol

/// `play`: uploads a song's stem data, plays it, and shows frames and haptics at their time.
enum PlayCommand: Subcommand {
    static let spec = CommandSpec(
        name: "play", summary: "upload a song's stem data, play it; print frames and haptics",
        positionals: ["STEMS.json"],
        options: [
            OptionSpec("--seconds", "N", "stop after so long (default: the whole song)"),
            OptionSpec("--from", "SECONDS", "begin there"),
            OptionSpec("--rate", "X", "speed of playback, 0.5…2"),
            OptionSpec("--lead", "MS", "wished lead of play_at, 300…5000"),
            OptionSpec("--expect-haptics", "N", "exit 7 unless at least N haptic events come"),
        ])

    /// Bytes of a song in one message: small against the frame limit, large against the overhead.
    private static let chunkBytes = 128 * 1024
    /// As the server's own limit.
    private static let maxSongBytes = 16 << 20

    static func run(_ context: CommandContext) async throws -> ExitCode {
        let arguments = context.arguments
        let path = arguments.positionals[0]
        let seconds = try arguments.number("--seconds", in: 0.1...86_400.0)
        let from = try arguments.number("--from", in: 0.0...86_400.0) ?? 0
        let rate = try arguments.number("--rate", in: 0.5...2.0) ?? 1
        let lead = try arguments.number("--lead", in: 300...5000) ?? 0
        let wanted = try arguments.number("--expect-haptics", in: 0...1_000_000) ?? 0
        let song = try LocalFile.read(path, maxBytes: maxSongBytes)
        let connected = try await Connector(context).connect()
        let client = connected.client
        let stream = try await client.openStream(.music(MusicFormat(leadMs: UInt32(lead))), name: "player")
        let songID = String(path.split(separator: "/").last ?? "song").utf8.prefix(64)
        let name = String(decoding: Array(songID), as: UTF8.self)
        let status = try await upload(song, name, stream, client, context)
        guard status.ready else {
            await client.leave()
            throw Failure(
                code: .serverError,
                message: "the server refuses the song: \(status.problem) [\(status.problemField)]",
                advice: "Mend the field named, or make the stem data again.")
        }
        context.console.tell(
            "song",
            [
                "title": .text(status.title), "seconds": .number(status.durationSeconds),
                "frames": .count(status.totalFrames), "bytes": .unsigned(status.receivedBytes),
            ],
            "\(status.title.printable), \(status.durationSeconds.fixed(1)) s, \(status.totalFrames) frames")
        try await client.send(
            .playbackControl(
                PlaybackControl(
                    streamId: stream, command: .play, songId: name, positionSeconds: from, rate: rate)))
        let length = min(seconds ?? .infinity, max(0.1, (status.durationSeconds - from) / rate) + 2)
        var show = MusicShow(context: context, client: client, stream: stream)
        let isWhole = try await show.run(for: length)
        try await client.send(
            .playbackControl(PlaybackControl(streamId: stream, command: .stop, songId: name)))
        await client.leave()
        show.sumUp()
        if !isWhole { return .interrupted }
        guard show.haptics >= wanted, show.frames > 0 else {
            StandardStreams.complain(
                "expected frames and at least \(wanted) haptic events, got \(show.haptics)\n")
            return .expectationMissed
        }
        return .ok
    }

    private static func upload(
        _ song: [UInt8], _ name: String, _ stream: UInt32, _ client: SenseClient, _ context: CommandContext
    ) async throws -> SongStatus {
        guard !song.isEmpty else { throw Failure(code: .unreadable, message: "the song file is empty") }
        var offset = 0
        while offset < song.count {
            let end = min(song.count, offset + chunkBytes)
            try await client.send(
                .songChunk(
                    SongChunk(
                        streamId: stream, songId: name, offset: UInt64(offset),
                        totalBytes: UInt64(song.count),
                        data: Array(song[offset..<end]))))
            offset = end
            context.console.progress("  uploaded \(offset / 1024) of \(song.count / 1024) KiB")
        }
        let answer = try await client.first(within: .seconds(30)) { event in
            switch event {
            case .message(.songStatus(let status)): status.songId == name
            case .problem(let error): error.streamId == stream
            default: false
            }
        }
        switch answer?.event {
        case .message(.songStatus(let status))?: return status
        case .problem(let error)?: throw ClientError.refused(error)
        default: throw ClientError.timedOut(waitingFor: "song_status")
        }
    }
}
