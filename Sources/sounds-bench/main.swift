// Serves `ops/bench-own-sounds`: teaches sounds from some takes, plays others and hours of background, and counts.
//   sounds-bench --streams FOLDER/streams.csv [--models Models] [--json FILE]
// The streams are made by Models/training/own_sounds.py --render.
// Serves `ops/bench-sounds`: hears hours of home background and events in steady background through whole sessions.
//   sounds-bench --homes FOLDER/streams.csv [--models Models] [--json FILE]
// The streams are made by Models/training/home_streams.py.

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import QuietAlert
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What is wrong with a file or a number.
struct Usage: Error, CustomStringConvertible {
    var description: String
}

func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

do {
    let options = try BenchOptions(
        CommandLine.arguments,
        defaults: ["--streams": "", "--homes": "", "--models": "Models", "--json": ""])
    let folder = options["--models"]
    let path = options["--json"]
    func streams(_ option: String) throws -> StreamList {
        let table = options[option]
        return try StreamList(String(decoding: try bytes(table), as: UTF8.self), path: table)
    }
    let json: String
    if options["--homes"] != "" {
        let figures = try HomeBench(try streams("--homes"), models: folder).measure()
        json = "[" + figures.map(\.json).joined(separator: ", ") + "]"
        if path.isEmpty { print(json) }
    } else {
        guard let space = SoundSpace(bytes: try bytes(folder + "/quietalert.space")) else {
            throw Usage(description: "\(folder)/quietalert.space is damaged")
        }
        let network = try PointNetwork(try bytes(folder + "/quietalert.onnx"), space)
        let tables = try OwnSoundsBench(try streams("--streams"), network, space).measure()
        print(tables.text)
        json = tables.json
    }
    if !path.isEmpty { try Data(json.utf8).write(to: URL(filePath: path)) }
} catch {
    print("sounds-bench: \(error)")
    exit(2)
}
