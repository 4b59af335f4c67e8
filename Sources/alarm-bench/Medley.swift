import Numerics
import TestSupport

/// Long stretches of everyday sound, put together from recordings at varied pitch, speed and loudness.
struct Medley: Sendable {
    let corpus: SoundCorpus

    /// What a stretch is made of.
    enum Kind: String, CaseIterable, Sendable {
        case songs, speech, clips, lookalikes
    }

    /// Kinds that can be made with what is there; the others need recordings.
    var kinds: [Kind] {
        Kind.allCases.filter {
            switch $0 {
            case .songs: !corpus.songs.isEmpty
            case .speech: !corpus.speech.isEmpty
            case .clips: !corpus.clips.isEmpty
            case .lookalikes: true
            }
        }
    }

    /// A stretch of `seconds`, peaks within ±1.
    func stretch(_ kind: Kind, seconds: Double, seed: UInt64) -> [Float] {
        var noise = SeededNoise(seed: seed)
        let count = Int(seconds * Double(AlarmSignals.rateHz))
        var output: [Float]
        switch kind {
        case .songs: output = chain(corpus.songs, count, &noise)
        case .speech: output = chain(corpus.speech, count, &noise)
        case .clips: output = chain(corpus.clips + corpus.vacuum, count, &noise)
        case .lookalikes: output = lookalikes(seconds, &noise)
        }
        if kind != .lookalikes, noise.uniform() < 0.3 {
            // Two sounds at a time, as in a home.
            let other = kinds.filter { $0 != .lookalikes }
            let second = stretch(
                other[Int(noise.next() % UInt64(other.count))], seconds: seconds, seed: noise.next())
            let gain = Float(noise.uniform(0.1...1))
            for i in output.indices { output[i] += gain * second[i] }
        }
        return output.map { max(-1, min(1, $0)) }
    }

    /// A background of an alarm, of about its length, or nil where there is no recording of that kind.
    func background(_ kind: AlarmBackground, seconds: Double, seed: UInt64) -> [Float]? {
        var noise = SeededNoise(seed: seed)
        let count = Int(seconds * Double(AlarmSignals.rateHz))
        switch kind {
        case .speech where !corpus.speech.isEmpty: return chain(corpus.speech, count, &noise)
        case .music where !corpus.songs.isEmpty: return chain(corpus.songs, count, &noise)
        case .vacuum where !corpus.vacuum.isEmpty: return chain(corpus.vacuum, count, &noise)
        case .television where !corpus.speech.isEmpty && !corpus.songs.isEmpty:
            let voice = AlarmSignals.normalised(chain(corpus.speech, count, &noise))
            let tune = AlarmSignals.normalised(chain(corpus.songs, count, &noise))
            let share = Float(noise.uniform(0.2...1))
            return zip(voice, tune).map { $0 + share * $1 }
        default: return nil
        }
    }

    /// Recordings one after the other, each from anywhere in it, at 0.8…1.25 of its speed and −40…0 dB.
    private func chain(
        _ list: [SoundCorpus.Recording], _ count: Int, _ noise: inout SeededNoise
    ) -> [Float] {
        var output: [Float] = []
        output.reserveCapacity(count)
        while output.count < count {
            let samples = list[Int(noise.next() % UInt64(list.count))].samples
            let speed = noise.uniform() < 0.3 ? 1 : noise.uniform(0.8...1.25)
            let gain = Float(Decibels.toAmplitude(-40 * noise.uniform() * noise.uniform()) / 32_768)
            var at = samples.count > 22_050 * 8 ? noise.uniform(0...0.5) * Double(samples.count) : 1
            while at < Double(samples.count - 3), output.count < count {
                let index = Int(at)
                guard index >= 1 else { break }
                // Cubic interpolation (Catmull and Rom).
                let t = Float(at - Double(index))
                let (a, b) = (Float(samples[index - 1]), Float(samples[index]))
                let (c, d) = (Float(samples[index + 1]), Float(samples[index + 2]))
                let cubic = 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
                output.append(gain * (b + cubic))
                at += speed
            }
        }
        return output
    }

    /// Look-alikes of half a minute each, over silence or a quiet background.
    private func lookalikes(_ seconds: Double, _ noise: inout SeededNoise) -> [Float] {
        var output: [Float] = []
        let all = AlarmLookalike.allCases
        while Double(output.count) < seconds * 22_050 {
            let kind = all[Int(noise.next() % UInt64(all.count))]
            let length = min(noise.uniform(20...40), seconds - Double(output.count) / 22_050)
            var part = kind.samples(seconds: max(0.1, length), seed: noise.next())
            let gain = Float(Decibels.toAmplitude(-noise.uniform(6...40)))
            for i in part.indices { part[i] *= gain }
            if noise.uniform() < 0.3 {
                part = AlarmSignals.reverberated(
                    part, seconds: noise.uniform(0.2...0.8), tail: 0.7, seed: noise.next())
            }
            let ground = AlarmCase.backgrounds[Int(noise.next() % UInt64(AlarmCase.backgrounds.count))]
            let seed = noise.next()
            if noise.uniform() < 0.7 {
                let samples =
                    background(ground, seconds: max(0.1, length), seed: seed).map(AlarmSignals.normalised)
                    ?? ground.samples(seconds: max(0.1, length), seed: seed)
                let level = gain * 0.7 * Float(Decibels.toAmplitude(-noise.uniform(0...25)))
                for i in part.indices where i < samples.count { part[i] += level * samples[i] }
            }
            output += part
        }
        return output
    }
}
