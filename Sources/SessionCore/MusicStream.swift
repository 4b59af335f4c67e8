import HarmoniAI
import SenseProtocol

/// One music stream of a device: collects a song in pieces; playing is the person's affair (`MusicRoom`).
struct MusicStream: Sendable {
    struct Upload: Sendable {
        let songID: String
        let totalBytes: Int
        var bytes: [UInt8] = []
    }

    var format: MusicFormat
    var upload: Upload?
    var isDecoding = false
    var receivedBytes = 0
    let limits: SessionLimits

    init(_ format: MusicFormat, field: String, limits: SessionLimits) throws(FieldProblem) {
        self.format = format
        self.limits = limits
        try Self.check(format, field: field)
    }

    mutating func change(_ format: MusicFormat, field: String) throws(FieldProblem) {
        try Self.check(format, field: field)
        self.format = format
    }

    private static func check(_ format: MusicFormat, field: String) throws(FieldProblem) {
        let lead = HarmoniAILimits.leadMs
        guard format.leadMs == 0 || lead.contains(Int(format.leadMs)) else {
            throw FieldProblem(
                field: "\(field).lead_ms", expected: "0 or \(lead.lowerBound)…\(lead.upperBound)",
                got: "\(format.leadMs)")
        }
        let offset = HarmoniAILimits.outputOffsetMs
        guard offset.contains(Int(format.outputOffsetMs)) else {
            throw FieldProblem(
                field: "\(field).output_offset_ms", expected: "\(offset.lowerBound)…\(offset.upperBound)",
                got: "\(format.outputOffsetMs)")
        }
    }

    /// Takes a piece; returns the whole document once it is complete.
    mutating func take(_ chunk: SongChunk) throws(FieldProblem) -> Upload? {
        guard !isDecoding else {
            throw FieldProblem(
                .tooFast, field: "song_chunk", expected: "one song at a time; wait for song_status",
                got: "a piece of another", retryAfterMs: 500)
        }
        guard (1...limits.maxNameBytes).contains(chunk.songId.utf8.count) else {
            throw FieldProblem(
                field: "song_chunk.song_id", expected: "1…\(limits.maxNameBytes) bytes",
                got: "\(chunk.songId.utf8.count) bytes")
        }
        guard chunk.totalBytes > 0, chunk.totalBytes <= UInt64(limits.maxSongBytes) else {
            throw FieldProblem(
                .tooLarge, field: "song_chunk.total_bytes", expected: "1…\(limits.maxSongBytes)",
                got: "\(chunk.totalBytes)")
        }
        guard !chunk.data.isEmpty else {
            throw FieldProblem(field: "song_chunk.data", expected: "at least one byte", got: "none")
        }
        if chunk.offset == 0 { upload = Upload(songID: chunk.songId, totalBytes: Int(chunk.totalBytes)) }
        guard var current = upload, current.songID == chunk.songId else {
            throw FieldProblem(
                field: "song_chunk.offset", expected: "0 for the first piece of a song",
                got: "\(chunk.offset)")
        }
        guard chunk.totalBytes == UInt64(current.totalBytes) else {
            throw FieldProblem(
                field: "song_chunk.total_bytes", expected: "\(current.totalBytes), as in the first piece",
                got: "\(chunk.totalBytes)")
        }
        guard chunk.offset == UInt64(current.bytes.count) else {
            throw FieldProblem(
                field: "song_chunk.offset", expected: "\(current.bytes.count)", got: "\(chunk.offset)")
        }
        guard chunk.data.count <= current.totalBytes - current.bytes.count else {
            throw FieldProblem(
                .tooLarge, field: "song_chunk.data",
                expected: "at most \(current.totalBytes - current.bytes.count) more bytes",
                got: "\(chunk.data.count)")
        }
        upload = nil
        current.bytes.append(contentsOf: chunk.data)
        receivedBytes += chunk.data.count
        guard current.bytes.count == current.totalBytes else {
            upload = current
            return nil
        }
        isDecoding = true
        return current
    }
}
