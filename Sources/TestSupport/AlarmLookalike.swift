import Numerics

/// Beeps and tunes that are no alarm but sound like one, drawn from a seed.
public enum AlarmLookalike: String, CaseIterable, Sendable {
    case reversingLorry, alarmClockBeat, alarmClockGroups, alarmClockEscalating, microwave, ovenTimer,
        telephone
    case turnstile, morse, doorChime, tunedBeat, halfNotes, continuousTone, warble
    /// The right beeps at the wrong distance.
    case wrongThree, wrongFour
    /// Beeps as short as a chirp, but at no even distance.
    case strayChirps, birds

    /// `seconds` of it: peaks of about 1, silence between.
    public func samples(seconds: Double, seed: UInt64) -> [Float] {
        var noise = SeededNoise(seed: seed)
        let hz = noise.uniform() < 0.35 ? noise.uniform(468...572) : noise.uniform(2_200...4_100)
        let tone = AlarmSignals.Tone.allCases[Int(noise.next() % 3)]
        func beeps(_ rhythm: AlarmSignals.Rhythm, decay: Double = 0) -> [Float] {
            AlarmSignals.beeps(
                rhythm, frequencyHz: hz, tone: tone, seconds: seconds, delay: noise.uniform(0.5...2),
                decay: decay)
        }
        func pick<T>(_ values: [T]) -> T { values[Int(noise.next() % UInt64(values.count))] }
        switch self {
        case .reversingLorry:
            let on = noise.uniform(0.4...0.6)
            return beeps(.periodic(on: on, off: noise.uniform(0.9...1.1) * on))
        case .alarmClockBeat:
            let on = noise.uniform(0.05...0.5)
            return beeps(.periodic(on: on, off: pick([0.5, 1, 2]) - min(on, 0.4)))
        case .alarmClockGroups:
            let on = pick([0.06, 0.08, 0.1, 0.1, 0.12]) * noise.uniform(0.95...1.05)
            let count = pick([2, 3, 4, 4, 4, 5])
            let pause = pick([1.0, 1, 1.4, 2]) - Double(2 * count - 1) * on
            return beeps(.group(of: count, on: on, off: on, pause: max(0.15, pause)))
        case .alarmClockEscalating:
            var steps: [(on: Double, off: Double)] = []
            for count in [1, 2, 4] {
                for _ in 0..<8 {
                    for beep in 1...count {
                        steps.append((0.1, beep == count ? 1 - 0.2 * Double(count) + 0.1 : 0.1))
                    }
                }
            }
            return beeps(.init(steps: steps))
        case .microwave:
            let on = pick([0.3, 0.5, 0.5, 0.7, 1])
            return beeps(
                .group(
                    of: pick([3, 3, 4, 5]), on: on, off: pick([0.3, 0.5, 0.5, 1]),
                    pause: noise.uniform(8...60)))
        case .ovenTimer:
            let on = pick([0.1, 0.15, 0.2])
            return beeps(.group(of: pick([2, 3, 3, 4]), on: on, off: on, pause: noise.uniform(0.5...1.5)))
        case .telephone:
            return beeps(
                pick([
                    .init(steps: [(0.4, 0.2), (0.4, 2)]), .init(steps: [(1, 2)]), .init(steps: [(1, 4)]),
                    .init(steps: [(2, 4)]), .init(steps: [(0.5, 0.5), (0.5, 2.5)]),
                    .init(steps: [(0.5, 0.5), (0.5, 1.5)]),
                ]))
        case .turnstile:
            let on = noise.uniform(0.1...0.3)
            return beeps(.init(steps: (0..<40).map { _ in (on, noise.uniform(0.5...6)) }))
        case .morse:
            let unit = noise.uniform(0.05...0.12)
            return beeps(
                .init(
                    steps: (0..<80).map { _ in
                        (unit * pick([1, 1, 3]), unit * pick([1, 1, 1, 3, 3, 7]))
                    }))
        case .doorChime, .tunedBeat, .halfNotes:
            return tune(seconds, &noise)
        case .continuousTone: return beeps(.periodic(on: noise.uniform(3...20), off: noise.uniform(0.5...2)))
        case .warble:
            let on = noise.uniform(0.02...0.06)
            return beeps(
                .init(
                    steps: [(on: Double, off: Double)](repeating: (on, on), count: 12) + [
                        (on, pick([0.5, 1, 2]))
                    ]))
        case .wrongThree:
            return beeps(
                pick([
                    .group(of: 3, on: 0.5, off: 0.5, pause: 2.5),
                    .group(of: 2, on: 0.5, off: 0.5, pause: 1.5),
                    .group(of: 4, on: 0.5, off: 0.5, pause: 1.5),
                    .group(of: 3, on: 0.25, off: 0.25, pause: 1),
                    .group(of: 3, on: 0.2, off: 0.2, pause: 1.5),
                    .group(of: 3, on: 0.5, off: 0.5, pause: 0.9),
                    .group(of: 3, on: 0.8, off: 0.8, pause: 2.4),
                    .group(of: 5, on: 0.5, off: 0.5, pause: 1.5),
                ]))
        case .wrongFour:
            return beeps(
                pick([
                    .group(of: 3, on: 0.1, off: 0.1, pause: 5), .group(of: 5, on: 0.1, off: 0.1, pause: 5),
                    .group(of: 4, on: 0.2, off: 0.2, pause: 5), .group(of: 4, on: 0.1, off: 0.1, pause: 2),
                    .group(of: 4, on: 0.1, off: 0.3, pause: 5), .group(of: 4, on: 0.06, off: 0.06, pause: 3),
                    .group(of: 2, on: 0.1, off: 0.1, pause: 5),
                ]))
        case .strayChirps:
            let on = noise.uniform(0.03...0.2)
            return beeps(.init(steps: (0..<20).map { _ in (on, noise.uniform(5...70)) }))
        case .birds: return birds(seconds, &noise)
        }
    }

    /// Notes on a grid of a repeated bar: melody, chime, half notes and rests.
    private func tune(_ seconds: Double, _ noise: inout SeededNoise) -> [Float] {
        var output = [Float](repeating: 0, count: Int(seconds * Double(AlarmSignals.rateHz)))
        let step = self == .halfNotes ? 0.5 : 60 / noise.uniform(60...180) / 2
        let decay =
            self == .doorChime ? noise.uniform(1...4) : noise.uniform() < 0.5 ? 0 : noise.uniform(0...3)
        let root = noise.uniform(240...560) * (noise.uniform() < 0.4 ? 6 : 1)
        // Chords could hide a smoke alarm in one of their harmonics.
        let isOneTone = self != .doorChime && (noise.uniform() < 0.5 || abs(step - 0.5) < 0.1)
        var bar: [(rest: Bool, degree: Double)] = (0..<(self == .doorChime ? 24 : 8)).map { _ in
            (noise.uniform() < 0.4, isOneTone ? 0 : [0, 2, 4, 5, 7, 9, 12][Int(noise.next() % 7)])
        }
        // Three equal notes with a rest between and five steps without, at half a second each, would be a smoke alarm.
        for start in bar.indices where bar.count == 8 && abs(step - 0.5) < 0.1 {
            let alike = bar.indices.filter { !bar[$0].rest && bar[$0].degree == bar[start].degree }
            let three = [start, (start + 2) % 8, (start + 4) % 8]
            if Set(alike) == Set(three) { bar[(start + 3) % 8] = (false, bar[start].degree) }
        }
        let length = step * [0.5, 0.9, 1][Int(noise.next() % 3)]
        var time = 0.5
        var index = 0
        while time < seconds {
            let (rest, degree) = bar[index % bar.count]
            if !rest {
                AlarmBackground.addNote(
                    &output, at: time, seconds: length, frequencyHz: root * Elementary.pow(2, degree / 12),
                    loud: 0.6, decay: decay)
            }
            time += step
            index += 1
        }
        return output
    }

    /// Calls of a few gliding or level notes, some of them again and again.
    private func birds(_ seconds: Double, _ noise: inout SeededNoise) -> [Float] {
        let rate = Double(AlarmSignals.rateHz)
        var output = [Float](repeating: 0, count: Int(seconds * rate))
        var time = 0.5
        while time < seconds {
            let count = 1 + Int(noise.next() % 6)
            let hz = noise.uniform(2_200...4_500)
            let glide = noise.uniform() < 0.4 ? 0 : noise.uniform(-3_000...3_000)
            let (on, off) = (noise.uniform(0.04...0.3), noise.uniform(0.05...0.4))
            for beep in 0..<count {
                let start = Int((time + Double(beep) * (on + off)) * rate)
                let length = Int(on * rate)
                var phase = 0.0
                for i in 0..<length where start + i < output.count {
                    phase += (hz + glide * Double(i) / rate) / rate
                    let edge = Elementary.sin(.pi * Double(i) / Double(length))
                    output[start + i] += Float(edge * Elementary.sin(2 * .pi * phase))
                }
            }
            time += Double(count) * (on + off) + noise.uniform(0.3...4)
        }
        return output
    }
}
