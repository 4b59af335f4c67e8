// Serves `ops/bench-letters`: words spelled with real poses of people the network never saw, with and without the word
// decoder. Prints a table and writes JSON.
//   words-bench --data ASL_FOLDER [--models Models] [--words FILE] [--json FILE]
//   words-bench --scores FILE.csv [--costs sharpness=1,unlisted=0.5] …   tries numbers on the left-out scores of the
//                                     training recordings (letters_confusions.py --scores)

import BridgeAI

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

struct Usage: Error, CustomStringConvertible {
    var description: String
}

var options = [
    "--data": "", "--models": "Models", "--words": "/usr/share/dict/words", "--json": "", "--scores": "",
    "--count": "500", "--costs": "",
]
@MainActor func option(_ name: String) -> String { options[name] ?? "" }

do {
    var rest = CommandLine.arguments.dropFirst()
    while let name = rest.popFirst() {
        guard options[name] != nil, let value = rest.popFirst() else {
            throw Usage(description: "\(name): expected one of \(options.keys.sorted()) with a value")
        }
        options[name] = value
    }

    let signers =
        option("--scores").isEmpty
        ? try Signer.scored(
            folder: option("--data") + "/test", model: option("--models") + "/bridgeai.onnx")
        : try Signer.read(scores: option("--scores"))
    let list = try readLines(option("--words"))
    let confusions = try readConfusions(option("--models") + "/letter_confusions.csv")
    let bench = try WordBench(
        signers: signers, language: list, confusions: confusions, count: Int(option("--count")) ?? 500)
    if option("--scores").isEmpty {
        let tables = bench.measure()
        print(tables.text)
        if !option("--json").isEmpty { try write(tables.json, to: option("--json")) }
    } else {
        var costs = LetterChannel.Costs()
        var prior = WordDecoder.Prior()
        for pair in option("--costs").split(separator: ",") {
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
        print(option("--costs"), bench.tune(costs, prior))
    }
} catch {
    print("words-bench: \(error)")
    exit(2)
}
