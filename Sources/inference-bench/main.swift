// Serves `ops/bench-inference`: loads a model, times runs (CPU time of the thread) and writes outputs, one command a line on standard input.
//   load MODEL.onnx BATCH INPUT.f32   -> "loaded MULTIPLY_ADDS STEPS"
//   time MILLISECONDS                 -> "time MEDIAN_NS FASTEST_NS RUNS"
//   outputs FILE.f32                  -> "written FLOATS"
//   profile                           -> "NANOSECONDS STEP" lines, then "."
//   stream MODEL.onnx BATCH           -> "streaming ..."; then steptime MILLISECONDS, stepprofile, difference

#if canImport(FoundationEssentials)
    import FoundationEssentials
    import Glibc
#else
    import Foundation
#endif
import Inference

struct Usage: Error, CustomStringConvertible {
    var description: String
}

func floats(_ path: String) throws -> [Float] {
    let data = [UInt8](try Data(contentsOf: URL(filePath: path)))
    return stride(from: 0, to: data.count - 3, by: 4).map { at in
        Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(data[at + $1]) << UInt32(8 * $1) })
    }
}

/// CPU time of this thread: what else the machine does falls on neither side.
func threadNanoseconds() -> UInt64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}

struct Session {
    let model: InferenceModel
    let plan: ExecutionPlan

    init(_ path: String, batch: Int, input: String) throws {
        model = try InferenceModel(bytes: [UInt8](try Data(contentsOf: URL(filePath: path))))
        plan = try ExecutionPlan(model, batch: batch)
        let values = try floats(input)
        guard plan.inputs.count == 1, plan.inputs[0].rowCount == values.count else {
            throw Usage(description: "\(input) has \(values.count) floats for \(plan.inputs)")
        }
        plan.withInput(0) { span in
            for i in 0..<values.count { span[i] = values[i] }
        }
        plan.run()
    }

    /// Runs in groups long enough for the clock, until the time is up.
    func time(milliseconds: UInt64) -> String {
        let start = threadNanoseconds()
        plan.run()
        let group = max(1, 200_000 / max(threadNanoseconds() - start, 1))
        var times: [UInt64] = []
        repeat {
            let before = threadNanoseconds()
            for _ in 0..<group { plan.run() }
            times.append((threadNanoseconds() - before) / group)
        } while threadNanoseconds() - start < milliseconds * 1_000_000
        times.sort()
        return "time \(times[times.count / 2]) \(times[0]) \(times.count)"
    }

    func write(_ path: String) throws -> String {
        var bytes = Data()
        for index in plan.outputs.indices {
            for value in plan.output(index) {
                for shift in stride(from: UInt32(0), to: 32, by: 8) {
                    bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> shift))
                }
            }
        }
        try bytes.write(to: URL(filePath: path))
        return "written \(bytes.count / 4)"
    }

    func profile() -> String {
        var best: [UInt64] = []
        for _ in 0..<20 {
            let times = plan.profile(now: threadNanoseconds).map { $0.time }
            best = best.isEmpty ? times : zip(best, times).map { min($0, $1) }
        }
        return zip(best, plan.steps).map { "\($0) \($1)\n" }.joined() + "."
    }
}

var session: Session?
var streaming: StreamSession?
while let line = readLine() {
    let words = line.split(separator: " ").map(String.init)
    do {
        switch (words.first, session) {
        case ("load", _) where words.count == 4:
            let made = try Session(words[1], batch: Int(words[2]) ?? 1, input: words[3])
            session = made
            print("loaded \(made.model.multiplyAdds) \(made.plan.steps.count)")
        case ("time", let session?): print(session.time(milliseconds: UInt64(words.last ?? "") ?? 100))
        case ("outputs", let session?): print(try session.write(words.last ?? ""))
        case ("profile", let session?): print(session.profile())
        case ("stream", _) where words.count == 3:
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: words[1])))
            let made = try StreamSession(bytes, batch: Int(words[2]) ?? 1)
            streaming = made
            print(made.summary)
        case ("steptime", _) where streaming != nil:
            print(try streaming?.time(milliseconds: UInt64(words.last ?? "") ?? 100) ?? "")
        case ("stepprofile", _) where streaming != nil: print(try streaming?.profile() ?? "")
        case ("difference", _) where streaming != nil: print(try streaming?.difference() ?? "")
        default: print("error unknown command: \(line)")
        }
    } catch {
        print("error \(error)")
    }
    fflush(nil)
}
