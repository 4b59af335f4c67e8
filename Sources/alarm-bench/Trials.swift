import Numerics
import QuietAlert
import TestSupport

/// What one generated alarm came to.
struct AlarmOutcome: Sendable {
    var background: String
    var impairment: String
    var isSmoke: Bool
    var isLow: Bool
    var number: Int
    /// Seconds from the onset; nil if never.
    var suspectedAfter: Double?
    var confirmedAfter: Double?
    /// Nil where it cannot be suspected by its first beats.
    var suspectedInTime: Bool?
    var confirmedInTime: Bool
    /// Confirmed as the other kind.
    var isWrongKind: Bool
}

/// What one stretch without an alarm came to.
struct StretchOutcome: Sendable {
    var kind: Medley.Kind
    var number: Int
    var seconds: Double
    var suspicions: Int
    var falseAlarms: [AlarmEpisode]
    var falseChirps: [AlarmEpisode]
}

/// What the chirps of one low battery came to.
struct ChirpOutcome: Sendable {
    var number: Int
    var background: String
    /// Level of a chirp over the background.
    var snrDecibels: Double
    var beepSeconds: Double
    var frequencyHz: Double
    /// Told by its third chirp.
    var isToldInTime: Bool
    /// Taken for a smoke or CO alarm.
    var isFalseAlarm: Bool

    var isToldAlone: Bool { isToldInTime && !isFalseAlarm }
}

/// What one CO alarm with long pauses came to.
struct SlowOutcome: Sendable {
    var number: Int
    var background: String
    var pauseSeconds: Double
    var frequencyHz: Double
    /// By its third group.
    var isConfirmed: Bool
}

/// The single runs: each follows from the seed and its number alone.
struct Trials: Sendable {
    let medley: Medley
    let seed: UInt64

    static let stretchSeconds = 120.0

    func alarm(_ number: Int) throws -> AlarmOutcome {
        let scene = AlarmCase(seed: seed, number: number)
        let ground = medley.background(
            scene.background, seconds: scene.seconds, seed: seed &+ 7_777 &* UInt64(number + 1))
        let heard = try Listening.hear(scene.samples(over: ground))
        var outcome = AlarmOutcome(
            background: scene.background.rawValue, impairment: scene.impairment.rawValue,
            isSmoke: scene.isSmoke, isLow: scene.frequencyHz < 1_000, number: number, confirmedInTime: false,
            isWrongKind: false)
        let pattern: AlarmPattern = scene.isSmoke ? .three : .four
        for item in heard where item.seconds > scene.onsetSeconds {
            let after = item.seconds - scene.onsetSeconds
            switch item.event {
            case .suspected(let episode) where episode.pattern == pattern:
                if scene.impairment == .twoAlarms || scene.mayBe(hz: episode.frequencyHz) {
                    outcome.suspectedAfter = outcome.suspectedAfter ?? after
                }
            case .confirmed(let episode) where episode.pattern == pattern:
                outcome.suspectedAfter = outcome.suspectedAfter ?? after
                outcome.confirmedAfter = outcome.confirmedAfter ?? after
            case .confirmed: outcome.isWrongKind = true
            default: break
            }
        }
        if let limit = scene.suspectedWithin {
            outcome.suspectedInTime = outcome.suspectedAfter ?? .infinity <= limit
        }
        outcome.confirmedInTime = outcome.confirmedAfter ?? .infinity <= scene.confirmedWithin
        return outcome
    }

    func stretch(_ kind: Medley.Kind, _ number: Int) throws -> StretchOutcome {
        let samples = medley.stretch(
            kind, seconds: Self.stretchSeconds, seed: seed &* 31 &+ UInt64(number) &* 0x2545_F491_4F6C_DD1D)
        var outcome = StretchOutcome(
            kind: kind, number: number, seconds: Self.stretchSeconds, suspicions: 0, falseAlarms: [],
            falseChirps: [])
        for item in try Listening.hear(samples, chunkMs: 500) {
            switch item.event {
            case .suspected: outcome.suspicions += 1
            case .confirmed(let episode) where episode.pattern == .lowBattery:
                outcome.falseChirps.append(episode)
            case .confirmed(let episode): outcome.falseAlarms.append(episode)
            case .ended: break
            }
        }
        return outcome
    }

    /// A low battery: a chirp every 30…60 s in a background 0…20 dB quieter. Whether the third one told it.
    func chirps(_ number: Int) throws -> ChirpOutcome {
        let (samples, outcome) = chirpScene(number)
        let seconds = Double(samples.count) / 22_050
        let heard = try Listening.hear(samples).filter { $0.event.episode.isConfirmed }
        var told = outcome
        told.isToldInTime = heard.contains {
            $0.event.episode.pattern == .lowBattery && $0.seconds <= seconds
        }
        told.isFalseAlarm = heard.contains { $0.event.episode.pattern != .lowBattery }
        return told
    }

    func chirpScene(_ number: Int) -> (samples: [Float], outcome: ChirpOutcome) {
        var noise = SeededNoise(seed: seed &+ 99 &* UInt64(number + 1))
        let (distance, onset, on) = (
            noise.uniform(30...60), noise.uniform(1.5...3), noise.uniform(0.03...0.2)
        )
        let seconds = onset + 2 * distance + 4
        let steps = (0..<3).map { _ in (on: on, off: distance * noise.uniform(0.995...1.005) - on) }
        let hz = noise.uniform(2_300...4_000)
        var samples = AlarmSignals.beeps(
            .init(steps: steps), frequencyHz: hz, tone: .rich, seconds: seconds, delay: onset)
        let kind = AlarmCase.backgrounds[number % AlarmCase.backgrounds.count]
        let ground =
            medley.background(kind, seconds: seconds, seed: noise.next()).map(AlarmSignals.normalised)
            ?? kind.samples(seconds: seconds, seed: noise.next())
        let snr = noise.uniform(0...20)
        let level = 0.707 * Float(Decibels.toAmplitude(-snr))
        for i in samples.indices { samples[i] = 0.1 * (samples[i] + level * ground[i]) }
        return (
            samples,
            ChirpOutcome(
                number: number, background: kind.rawValue, snrDecibels: snr, beepSeconds: on, frequencyHz: hz,
                isToldInTime: false, isFalseAlarm: false)
        )
    }

    /// A CO alarm whose pauses have grown to 8…60 s. Whether its third group confirmed it.
    func slowCO(_ number: Int) throws -> SlowOutcome {
        let (samples, outcome) = slowScene(number)
        var told = outcome
        told.isConfirmed = try Listening.hear(samples).contains {
            $0.event.episode.isConfirmed && $0.event.episode.pattern == .four
        }
        return told
    }

    func slowScene(_ number: Int) -> (samples: [Float], outcome: SlowOutcome) {
        var noise = SeededNoise(seed: seed &+ 4_242 &* UInt64(number + 1))
        let (pause, onset) = (noise.uniform(8...60), noise.uniform(1.5...3))
        let seconds = onset + 2 * (pause + 0.7) + 4
        let hz = noise.uniform() < 0.4 ? noise.uniform(468...572) : noise.uniform(2_300...4_000)
        let signal = AlarmSignals.beeps(
            .four(pulse: 0.1, pause: pause), frequencyHz: hz, tone: hz < 1_000 ? .square : .rich,
            seconds: seconds, delay: onset)
        let kind = AlarmCase.backgrounds[number % AlarmCase.backgrounds.count]
        let ground =
            medley.background(kind, seconds: seconds, seed: noise.next()).map(AlarmSignals.normalised)
            ?? kind.samples(seconds: seconds, seed: noise.next())
        return (
            AlarmSignals.mix(signal, over: ground, snrDecibels: 0),
            SlowOutcome(
                number: number, background: kind.rawValue, pauseSeconds: pause, frequencyHz: hz,
                isConfirmed: false)
        )
    }
}
