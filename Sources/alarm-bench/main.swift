// Serves `ops/bench-alarms`: hears generated and recorded alarms and everything that is none, in scenes that follow
// from a seed, and prints what was missed and what was cried over. `--help` lists the options.
import QuietAlert
import SignalProcessing
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

let help = """
    alarm-bench [--seed N] [--cases N] [--hours H] [--data FOLDER] [--verbose] [--case N] [--hear FILE]
      --seed N        scenes to draw (1); tune on one seed, report another
      --cases N       generated alarms (2000)
      --hours H       hours without an alarm (20)
      --data FOLDER   recordings (sound, songs, speech), as in SENSE_DATA
      --case N        that generated alarm alone
      --hear FILE     what is heard in that recording
      --verbose       a line for every miss and false alarm
    The last line on standard output is JSON for ops/bench_sessions.py.
    """

let options: BenchOptions
let (seed, cases, hours): (UInt64, Int, Double)
let only: Int?
do throws(BenchOptions.Problem) {
    options = try BenchOptions(
        CommandLine.arguments,
        defaults: [
            "--seed": "1", "--cases": "2000", "--hours": "20", "--data": "", "--case": "", "--hear": "",
        ], flags: ["--verbose", "--help"])
    (seed, cases, hours) = (
        try options.number("--seed"), try options.number("--cases"), try options.number("--hours")
    )
    only = options["--case"].isEmpty ? nil : try options.number("--case")
} catch {
    print("alarm-bench: \(error)\n\(help)")
    exit(2)
}
if options.has("--help") {
    print(help)
    exit(0)
}

if !options["--hear"].isEmpty {
    let samples = try SoundCorpus.read(options["--hear"]).map { Float($0) / 32_768 }
    for heard in try Listening.hear(samples) { print("\(heard.seconds) s: \(heard.event)") }
    exit(0)
}
let corpus = SoundCorpus(folder: options["--data"].isEmpty ? nil : options["--data"])
for line in corpus.skipped { print("skipped: \(line)") }
print("recordings: \(Int(corpus.seconds / 60)) min, \(corpus.alarms.count) of smoke alarms")
let trials = Trials(medley: Medley(corpus: corpus), seed: seed)
if let number = only {
    print(AlarmCase(seed: seed, number: number))
    print(try trials.alarm(number))
    exit(0)
}
let report = try await Report.run(trials, cases, hours, options.has("--verbose"))
report.printTables()
print(report.json)
