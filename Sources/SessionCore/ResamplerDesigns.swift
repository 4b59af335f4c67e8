import SignalProcessing

/// Filter tables from the usual sample rates to the model's, made once: building one costs milliseconds.
public struct ResamplerDesigns: Sendable {
    /// Rates that phones, watches, browsers and microcontrollers use.
    public static let usualRatesHz = [8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000]

    private let tables: [Int: ResamplerDesign]

    /// Builds the tables of `ratesHz`; rates that cannot be built are left out.
    public init(ratesHz: [Int] = usualRatesHz, modelRateHz: Int = 22_050) {
        var tables: [Int: ResamplerDesign] = [:]
        for rateHz in ratesHz {
            tables[rateHz] = try? ResamplerDesign(inputRateHz: rateHz, outputRateHz: modelRateHz)
        }
        self.tables = tables
    }

    /// The table for a rate; an unusual one is built on the spot.
    func design(from rateHz: Int, field: String) throws(FieldProblem) -> ResamplerDesign {
        if let table = tables[rateHz] { return table }
        do throws(AudioError) {
            return try ResamplerDesign(inputRateHz: rateHz, outputRateHz: 22_050)
        } catch {
            throw FieldProblem(
                field: "\(field).\(error.field)", expected: "8000…192000 Hz", got: error.message)
        }
    }
}
