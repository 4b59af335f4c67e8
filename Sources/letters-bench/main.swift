// Serves `ops/bench-letters`: spells landmark sequences through the server's own way — geometry, letter network, decoder — and
// through the original rule, and prints what each made of them.
//   letters-bench MODEL.onnx [NAME=VALUE …] < sequences > one JSON line a sequence, then one with the costs
// NAME=VALUE sets a number of `DecoderTuning`.
// A sequence, little-endian: u32 frames, u8 hasZ, then for each frame u64 microseconds, u8 kind (0 no hand, 1 hand) and, with a
// hand, 63 float32 as a mirrored picture of a right hand shows them, true proportions, y down.

import BridgeAI
import Inference

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

guard CommandLine.arguments.count > 1 else { exit(2) }
do {
    let bench = try SpellingBench(
        modelPath: CommandLine.arguments[1], tuning: Array(CommandLine.arguments.dropFirst(2)))
    var input = SequenceReader(readAll(descriptor: 0))
    var scored = Costs()
    while let sequence = try input.next() {
        print(try bench.spell(sequence, &scored).json)
    }
    print(scored.json)
} catch {
    print("{\"error\":\"\("\(error)".split(separator: "\"").joined(separator: "'"))\"}")
    exit(1)
}
