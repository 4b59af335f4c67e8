import SenseProtocol
import SignalProcessing
import Synchronization

/// Filter tables from the sample rates in use to the model's, each made once: building one costs milliseconds.
///
/// Isolation: any thread; the table has its own lock.
public final class ResamplerDesigns: Sendable {
    /// Rates that phones, watches, browsers and microcontrollers use; made at start.
    public static let usualRatesHz = [
        8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000,
    ]
    /// Tables kept: the usual ones and some others, a few hundred KB each at most. Further rates are refused, so that
    /// nobody can keep a loop busy with building tables.
    public static let maxTables = 32

    private let tables: Mutex<[Int: ResamplerDesign]>
    private let modelRateHz: Int

    /// Builds the tables of `ratesHz`; rates that cannot be built are left out.
    public init(ratesHz: [Int] = usualRatesHz, modelRateHz: Int = 22_050) {
        var made: [Int: ResamplerDesign] = [:]
        for rateHz in ratesHz {
            made[rateHz] = try? ResamplerDesign(inputRateHz: rateHz, outputRateHz: modelRateHz)
        }
        tables = Mutex(made)
        self.modelRateHz = modelRateHz
    }

    /// The table for a rate; an unusual one is built at its first use.
    func design(from rateHz: Int, field: String) throws(FieldProblem) -> ResamplerDesign {
        let (known, count) = tables.withLock { ($0[rateHz], $0.count) }
        if let known { return known }
        guard count < Self.maxTables else {
            throw FieldProblem(
                .unavailable, field: "\(field).sample_rate_hz",
                expected: "a usual rate (\(Self.usualRatesHz.map(String.init).joined(separator: ", ")))",
                got: "\(rateHz), after \(count) other rates")
        }
        let made: ResamplerDesign
        do throws(AudioError) {
            made = try ResamplerDesign(inputRateHz: rateHz, outputRateHz: modelRateHz)
        } catch {
            throw FieldProblem(
                field: "\(field).\(error.field)", expected: "8000…192000 Hz", got: error.message)
        }
        tables.withLock { $0[rateHz] = made }
        return made
    }
}
