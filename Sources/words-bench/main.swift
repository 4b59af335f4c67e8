// Serves `ops/bench-letters`: words spelled with real poses of people the network never saw, with and without the word
// decoder. Prints a table and writes JSON.
//   words-bench --data ASL_FOLDER [--models Models] [--words FILE] [--json FILE]
//   words-bench --scores FILE.csv [--costs sharpness=1,unlisted=0.5] …   tries numbers on the left-out scores of the
//                                     training recordings (letters_confusions.py --scores)

import BridgeAI
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

do {
    let options = try BenchOptions(
        CommandLine.arguments,
        defaults: [
            "--data": "", "--models": "Models", "--words": "/usr/share/dict/words", "--json": "",
            "--scores": "", "--count": "500", "--costs": "",
        ])
    let signers =
        options["--scores"].isEmpty
        ? try Signer.scored(
            folder: options["--data"] + "/test", model: options["--models"] + "/bridgeai.onnx")
        : try Signer.read(scores: options["--scores"])
    let list = try readLines(options["--words"])
    let confusions = try readConfusions(options["--models"] + "/letter_confusions.csv")
    let bench = try WordBench(
        signers: signers, language: list, confusions: confusions, count: try options.number("--count"))
    if options["--scores"].isEmpty {
        let tables = bench.measure()
        print(tables.text)
        if !options["--json"].isEmpty { try write(tables.json, to: options["--json"]) }
    } else {
        var costs = LetterChannel.Costs()
        var prior = WordDecoder.Prior()
        for pair in options["--costs"].split(separator: ",") {
            let parts = pair.split(separator: "=")
            guard parts.count == 2, let value = Float(parts[1]) else {
                throw Usage(description: "--costs: expected NAME=NUMBER, got \(pair)")
            }
            switch parts[0] {
            case "sharpness": costs.sharpness = value
            case "doubt": costs.doubt = value
            case "ghost": costs.ghost = value
            case "ghostRepeat": costs.ghostRepeat = value
            case "missed": costs.missed = value
            case "missedRepeat": costs.missedRepeat = value
            case "unlisted": prior.unlisted = value
            case "personal": prior.personal = value
            default: throw Usage(description: "--costs: \(parts[0]) is not known")
            }
        }
        print(options["--costs"], bench.tune(costs, prior))
    }
} catch {
    print("words-bench: \(error)")
    exit(2)
}
