import AudioFile
import SignalProcessing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Recordings to hide alarms in and to be fooled by, at 22,050 Hz, from the folder of `SENSE_DATA`.
struct SoundCorpus: Sendable {
    /// One recording.
    struct Recording: Sendable {
        var name: String
        var samples: [Int16]
    }

    /// Mixes and stems of songs.
    private(set) var songs: [Recording] = []
    private(set) var speech: [Recording] = []
    private(set) var vacuum: [Recording] = []
    /// Everyday sounds of all other kinds, alarm clocks, telephones and sirens among them.
    private(set) var clips: [Recording] = []
    /// Recorded smoke alarms, in order.
    private(set) var alarms: [Recording] = []
    /// What was not found or could not be read.
    private(set) var skipped: [String] = []

    var seconds: Double {
        let all = [songs, speech, vacuum, clips].joined()
        return Double(all.reduce(0) { $0 + $1.samples.count }) / 22_050
    }

    /// Reads `sound`, `songs` and `speech` below `folder`.
    init(folder: String?) {
        guard let folder else {
            skipped = ["recorded backgrounds and alarms: SENSE_DATA is not set"]
            return
        }
        loadClips(folder + "/sound")
        for path in Self.files(below: folder + "/songs") { load(path, into: \.songs) }
        for path in Self.files(below: folder + "/speech") { load(path, into: \.speech) }
        for (name, list) in [("sound", clips), ("songs", songs), ("speech", speech)] where list.isEmpty {
            skipped.append("\(folder)/\(name): nothing there")
        }
    }

    private mutating func loadClips(_ folder: String) {
        guard let table = try? String(contentsOf: URL(filePath: folder + "/clips.csv"), encoding: .utf8)
        else {
            return
        }
        var alarmPaths: [String] = []
        for line in table.split(whereSeparator: \.isNewline).dropFirst() {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard fields.count > 2, !fields[0].contains("specinv") else { continue }
            let path = folder + "/" + fields[0]
            switch fields[1] {
            case "other:smoke_alarm": alarmPaths.append(path)
            case "other:speech", "other:tv": load(path, into: \.speech)
            case "other:music": load(path, into: \.songs)
            case "vacuum_cleaner": load(path, into: \.vacuum)
            default: load(path, into: \.clips)
            }
        }
        for path in alarmPaths.sorted() { load(path, into: \.alarms) }
    }

    private static func files(below folder: String) -> [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return names.filter { name in [".flac", ".wav", ".ogg", ".mp3"].contains { name.hasSuffix($0) } }
            .map { folder + "/" + $0 }.sorted()
    }

    private mutating func load(_ path: String, into list: WritableKeyPath<SoundCorpus, [Recording]>) {
        do {
            let samples = try Self.read(path)
            guard samples.count >= 2_205 else { return }
            self[keyPath: list].append(Recording(name: path, samples: samples))
        } catch {
            skipped.append("\(path): \(error)")
        }
    }

    /// A recording, mixed to one channel and resampled to 22,050 Hz.
    static func read(_ path: String) throws -> [Int16] {
        var reader = try AudioFileReader(path: path)
        let format = try PCMFormat(
            encoding: .f32le, sampleRateHz: UInt64(reader.sampleRateHz), channels: UInt64(reader.channels))
        var mixer = Downmix(sampleRateHz: format.sampleRateHz, channels: format.channels)
        var resampler = Resampler(
            design: try ResamplerDesign(inputRateHz: format.sampleRateHz, outputRateHz: 22_050))
        var samples: [Int16] = []
        var block: [Float] = []
        func take(_ values: [Float]) {
            for x in values { samples.append(Int16(max(-32_767, min(32_767, (x * 32_767).rounded())))) }
        }
        while try reader.read(into: &block, maxFrames: 32_768) > 0 {
            take(resampler.process(mixer.process(block)))
        }
        take(resampler.finish())
        return samples
    }
}
