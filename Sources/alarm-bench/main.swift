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

struct Options {
    var seed: UInt64 = 1
    var cases = 2_000
    var hours = 20.0
    var data: String?
    var isVerbose = false
    var only: Int?
    var file: String?

    static let help = """
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

    init?(_ arguments: [String]) {
        var rest = arguments.dropFirst()
        while let option = rest.popFirst() {
            switch option {
            case "--verbose": isVerbose = true
            case "--seed", "--cases", "--hours", "--data", "--case", "--hear":
                guard let value = rest.popFirst() else { return nil }
                switch option {
                case "--seed": seed = UInt64(value) ?? seed
                case "--cases": cases = Int(value) ?? cases
                case "--case": only = Int(value)
                case "--hear": file = value
                case "--hours": hours = Double(value) ?? hours
                default: data = value
                }
            default: return nil
            }
        }
    }
}

guard let options = Options(CommandLine.arguments) else {
    print(Options.help)
    throw UsageError()
}
struct UsageError: Error {}

if let file = options.file {
    let samples = try SoundCorpus.read(file).map { Float($0) / 32_768 }
    for heard in try Listening.hear(samples) { print("\(heard.seconds) s: \(heard.event)") }
    exit(0)
}
let corpus = SoundCorpus(folder: options.data)
for line in corpus.skipped { print("skipped: \(line)") }
print("recordings: \(Int(corpus.seconds / 60)) min, \(corpus.alarms.count) of smoke alarms")
let trials = Trials(medley: Medley(corpus: corpus), seed: options.seed)
if let number = options.only {
    print(AlarmCase(seed: options.seed, number: number))
    print(try trials.alarm(number))
    exit(0)
}
let report = try await Report.run(trials, options.cases, options.hours, options.isVerbose)
report.printTables()
print(report.json)
