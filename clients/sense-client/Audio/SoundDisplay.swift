import Numerics
import SenseProtocol
import SignalProcessing
import Synchronization

/// What `listen` shows on a terminal while sound flows: level, a strip of the spectrum, the best scores.
final class SoundDisplay: Sendable {
    private struct State {
        var spectrum: ShortTimeSpectrum
        var level: LevelMeter
        var columns: [[Float]] = []
        var scores = SoundScores()
        var sentSeconds = 0.0
        var health = ""
    }

    /// Octaves from the hum of a transformer to the hiss of steam; what the sample rate does not reach stays dark.
    private static let bandsHz: [ClosedRange<Double>] = [
        60...250, 250...500, 500...1000, 1000...2000, 2000...4000, 4000...8000,
    ]
    private static let names = ["60", "250", "500", "1k", "2k", "4k"]
    private static let shades: [Character] = [" ", "░", "▒", "▓", "█"]
    private static let size = 1024
    /// Columns kept: the widest terminal that makes sense.
    private static let maxColumns = 240

    private let rateHz: Int
    private let channels: Int
    private let bands: BandEnergy
    private let state: Mutex<State>

    init(_ format: AudioFormat) {
        rateHz = Int(format.sampleRateHz)
        channels = max(1, Int(format.channels))
        bands = BandEnergy(bandsHz: Self.bandsHz, size: Self.size, sampleRateHz: rateHz)
        // Ten columns a second, as chunks are sent.
        state = Mutex(
            State(
                spectrum: ShortTimeSpectrum(size: Self.size, hopSamples: max(1, rateHz / 10)),
                level: LevelMeter(sampleRateHz: rateHz, channels: channels)))
    }

    /// Samples on their way, interleaved, −1…1.
    func heard(_ samples: [Float]) {
        let mono = stride(from: 0, to: samples.count - channels + 1, by: channels).map { first in
            samples[first..<first + channels].reduce(0, +) / Float(channels)
        }
        state.withLock { state in
            state.level.push(interleaved: samples)
            state.spectrum.append(mono)
            while let powers = state.spectrum.next() {
                state.columns.append(bands.energies(of: powers))
                if state.columns.count > Self.maxColumns { state.columns.removeFirst() }
            }
            state.sentSeconds += Double(mono.count) / Double(rateHz)
        }
    }

    /// The newest scores.
    func took(_ scores: SoundScores) { state.withLock { $0.scores = scores } }

    /// The newest health.
    func took(_ health: StreamHealth) {
        state.withLock { $0.health = health.state.isHealthy ? "" : health.state.word }
    }

    /// Lines of at most `columns` characters, drawn anew each time.
    func lines(_ style: TerminalStyle, columns: Int) -> [String] {
        let (history, level, scores, seconds, health) = state.withLock { state in
            (state.columns, state.level.reading, state.scores, state.sentSeconds, state.health)
        }
        let width = max(10, columns - 8)
        let db = Double(level.rmsDBFS)
        let meter = style.bar(Float((db + 60) / 60), width: min(30, width - 30))
        let peak = Double(level.peakDBFS)
        let mark = peak > -1 ? style.red(" clipped") : health.isEmpty ? "" : style.yellow(" \(health)")
        let head =
            "  \(seconds.fixed(1).paddedLeft(6)) s  \(meter) \(db.fixed(0).paddedLeft(4)) dBFS, peak \(peak.fixed(0))"
        let shown = history.suffix(width)
        let strip = Self.names.indices.reversed().map { band in
            let cells = shown.map { column in Self.shade(band < column.count ? column[band] : 0) }
            return "  \(Self.names[band].paddedLeft(4)) " + String(cells)
        }
        let best = scores.scores.sorted { $0.score > $1.score }.prefix(3).map {
            "\($0.label.printable) \(Double($0.score).fixed(2))"
        }
        let tail = "  something \(style.bar(scores.presence, width: 10))  " + best.joined(separator: "   ")
        return [head + mark] + strip + [String(tail.prefix(columns - 1))]
    }

    /// Energies span many powers of ten: a shade is 12 dB, the darkest begins 60 dB below a full-scale tone.
    private static func shade(_ energy: Float) -> Character {
        let fullScale = Double(size / 4) * Double(size / 4)
        let level = (Double(Decibels.fromPower(Double(energy) / fullScale)) + 60) / 12
        return shades[min(shades.count - 1, max(0, Int(level.rounded(.down))))]
    }
}
