import Foundation
import Storage
import TestSupport
import Testing

/// `kill -9` at any moment loses nothing that was acknowledged.
@Suite struct CrashTests {
    /// The helper program lies beside the test bundle, wherever that was built.
    private static var writer: URL? {
        let arguments = CommandLine.arguments
        let bundle = arguments.firstIndex(of: "--test-bundle-path").map { arguments[$0 + 1] } ?? arguments[0]
        let url = URL(fileURLWithPath: bundle).deletingLastPathComponent()
            .appendingPathComponent("storage-crash-writer")
        return FileManager.default.isExecutableFile(atPath: url.path) ? url : nil
    }

    @Test func acknowledgedWritesSurviveKill() async throws {
        let writer = try #require(Self.writer, "storage-crash-writer is not beside the tests")
        let folder = try TemporaryFolder()
        var random = SeededBytes(seed: 20)
        var acknowledged = Acknowledged()
        for round in 0..<20 {
            let lines = try killAfter(random.int(in: 1...600), round, writer, folder.storePath)
            #expect(!lines.contains { $0.hasPrefix("error") }, "\(lines.last ?? "")")
            for line in lines { acknowledged.add(line) }
            try await check(acknowledged, in: folder.storePath)
        }
        #expect(acknowledged.events.count >= 20)
    }

    /// Runs the writer until it has acknowledged `count` writes, kills it, and returns all it said.
    private func killAfter(_ count: Int, _ round: Int, _ writer: URL, _ path: String) throws -> [String] {
        let process = Process()
        process.executableURL = writer
        process.arguments = [path, "r\(round)"]
        let (output, input) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        var text = Data()
        var isKilled = false
        while true {
            let part = output.fileHandleForReading.availableData
            if part.isEmpty { break }
            text += part
            if !isKilled && text.count(where: { $0 == UInt8(ascii: "\n") }) >= count {
                kill(process.processIdentifier, SIGKILL)
                isKilled = true
            }
        }
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal, "it was killed, it did not end by itself")
        // A line counts only if it is whole.
        return String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().map(String.init)
    }

    private func check(_ acknowledged: Acknowledged, in path: String) async throws {
        let store = try Store(path: path, nowUs: 1)
        defer { store.close() }
        var events: [DurableEvent] = []
        while true {
            let after = events.last?.eventID ?? 0
            let more = try await store.result {
                store.eventsAfter(after, profileID: "p", limit: 1_000, completion: $0)
            }
            if more.isEmpty { break }
            events += more
        }
        #expect(events.map(\.eventID) == Array(1...Int64(events.count)), "no gap, no duplicate")
        let subjects = Dictionary(uniqueKeysWithValues: events.map { ($0.eventID, $0.subjectID) })
        let lost = acknowledged.events.filter { subjects[$0.key] != $0.value }
        #expect(lost.isEmpty, "acknowledged events are missing")

        var answered: Set<String> = []
        var token = ""
        repeat {
            let filter = HistoryFilter(profileID: "p", pageSize: 200, pageToken: token)
            let page = try await store.result { store.history(filter, completion: $0) }
            for entry in page.entries where entry.alert.disposition == .acknowledged {
                answered.insert(entry.alert.latest.alertID)
            }
            token = page.nextPageToken
        } while !token.isEmpty
        #expect(acknowledged.receipts.isSubset(of: answered), "acknowledged receipts are missing")

        let settings = try await store.result { store.settings(profileID: "p", since: 0, completion: $0) }
        for setting in settings.settings {
            let stored = Int(String(decoding: setting.value ?? [], as: UTF8.self)) ?? -1
            #expect(stored >= acknowledged.settings[setting.key] ?? 0, "a setting went back")
        }
        #expect(Set(settings.settings.map(\.key)).isSuperset(of: acknowledged.settings.keys))
    }
}

/// What the writer said is stored.
private struct Acknowledged {
    var events: [Int64: String] = [:]
    var receipts: Set<String> = []
    var settings: [String: Int] = [:]

    mutating func add(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("event", 3): events[Int64(words[1]) ?? -1] = words[2]
        case ("receipt", 2): receipts.insert(words[1])
        case ("setting", 3): settings[words[1]] = Int(words[2]) ?? .max
        default: Issue.record("unknown line: \(line)")
        }
    }
}
