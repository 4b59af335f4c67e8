import Numerics

/// Many channels to one, so that nothing a microphone heard cancels or drowns.
///
/// An average loses a sound that two microphones hear in opposite phase, and buries one that only one of thirty-two
/// hears. Here each channel is split at 1.8 kHz (first-order, so that the two parts add up to the input again); in
/// each part every channel is added with the sign that makes it agree with the loudest one, and the sum is levelled
/// to the power of the loudest channel. A sound in any one channel is thus always in the result, at most as loud
/// as the loudest. Signs and levels follow 100 ms averages on a fixed 10 ms grid and move along ramps of 10 ms, so
/// there are no clicks and the result does not depend on how the stream is cut into chunks. DC is removed first
/// (first-order high-pass at 5 Hz), for mono too.
///
/// Limit: a source that reaches two channels in opposite phase *and* shares a part of the spectrum with a louder
/// source that reaches them in phase is attenuated.
public struct Downmix: Sendable {
    /// Channels of the input.
    public let channels: Int
    private let blockFrames: Int
    private let dcCoefficient: Float
    private let splitCoefficient: Float
    private var frameInBlock = 0
    private var dcInput: [Float]
    private var dcOutput: [Float]
    private var lowState: [Float]
    private var low: Band
    private var high: Band

    /// A mixer for one format.
    public init(sampleRateHz: Int, channels: Int) {
        self.channels = max(1, channels)
        let rate = Double(max(1, sampleRateHz))
        blockFrames = max(1, Int(rate / 100))
        dcCoefficient = Float(Elementary.exp(-2 * .pi * 5 / rate))
        splitCoefficient = Float(1 - Elementary.exp(-2 * .pi * 1_800 / rate))
        dcInput = [Float](repeating: 0, count: self.channels)
        dcOutput = dcInput
        lowState = dcInput
        low = Band(channels: self.channels)
        high = low
    }

    /// Mixes interleaved frames to one channel; as many samples out as frames in. Excess samples of a broken last
    /// frame are ignored.
    public mutating func process(_ interleaved: [Float]) -> [Float] {
        let frames = interleaved.count / channels
        var output: [Float] = []
        if channels == 1 {
            (dcInput[0], dcOutput[0]) = Self.removeDC(
                interleaved, dcCoefficient, dcInput[0], dcOutput[0], &output)
            return output
        }
        output.reserveCapacity(frames)
        var index = 0
        for _ in 0..<frames {
            let ramp = Float(frameInBlock) / Float(blockFrames)
            var lowSum: Float = 0
            var highSum: Float = 0
            for channel in 0..<channels {
                let x = removeDC(interleaved[index], channel: channel)
                index += 1
                lowState[channel] += splitCoefficient * (x - lowState[channel])
                let lowPart = lowState[channel]
                lowSum += low.take(lowPart, channel: channel, ramp: ramp)
                highSum += high.take(x - lowPart, channel: channel, ramp: ramp)
            }
            low.endFrame()
            high.endFrame()
            output.append(lowSum + highSum)
            frameInBlock += 1
            if frameInBlock == blockFrames {
                frameInBlock = 0
                low.endBlock()
                high.endBlock()
            }
        }
        return output
    }

    /// The same of one channel alone; returns its last input and output. What decays to nothing is cut off once in 64
    /// samples, so that nothing but a product and a sum stands between one sample and the next.
    private static func removeDC(
        _ samples: [Float], _ coefficient: Float, _ input: Float, _ output: Float, _ result: inout [Float]
    ) -> (Float, Float) {
        result = [Float](repeating: 0, count: samples.count)
        let samples = samples.span
        var outputs = result.mutableSpan
        var (before, y) = (input, output)
        var start = 0
        while start < samples.count {
            let end = min(samples.count, start + 64)
            for i in start..<end {
                y = samples[i] - before + coefficient * y
                before = samples[i]
                outputs[i] = y
            }
            if abs(y) < 1e-20 { y = 0 }
            start = end
        }
        return (before, y)
    }

    private mutating func removeDC(_ x: Float, channel: Int) -> Float {
        let y = x - dcInput[channel] + dcCoefficient * dcOutput[channel]
        dcInput[channel] = x
        dcOutput[channel] = abs(y) < 1e-20 ? 0 : y  // no denormal tails
        return dcOutput[channel]
    }
}

extension Downmix {
    /// One part of the spectrum: signs, level, and the averages that decide them.
    private struct Band: Sendable {
        /// Keep of an average per 10 ms block: a time constant of 100 ms.
        static let keep: Float = 0.905
        /// A channel's sign turns only when it disagrees this clearly, so that noise does not flip it.
        static let turnCorrelation: Float = -0.1
        /// The leader changes only when another channel is louder by 3 dB.
        static let leaderMargin: Float = 2

        var from: [Float]
        var to: [Float]
        var signs: [Float]
        var energy: [Float]
        var cross: [Float]
        var blockEnergy: [Float]
        var blockCross: [Float]
        var current: [Float]
        var leader = 0
        var sumEnergy: Float = 0
        var blockSumEnergy: Float = 0

        init(channels: Int) {
            let zeros = [Float](repeating: 0, count: channels)
            from = [Float](repeating: 1 / Float(channels), count: channels)
            to = from
            signs = [Float](repeating: 1, count: channels)
            energy = zeros
            cross = zeros
            blockEnergy = zeros
            blockCross = zeros
            current = zeros
        }

        mutating func take(_ x: Float, channel: Int, ramp: Float) -> Float {
            current[channel] = x
            return x * (from[channel] + (to[channel] - from[channel]) * ramp)
        }

        mutating func endFrame() {
            let reference = current[leader]
            var sum: Float = 0
            for channel in current.indices {
                let x = current[channel]
                blockEnergy[channel] += x * x
                blockCross[channel] += x * reference
                sum += signs[channel] * x
            }
            blockSumEnergy += sum * sum
        }

        mutating func endBlock() {
            var loudest = leader
            for channel in energy.indices {
                energy[channel] = energy[channel] * Self.keep + blockEnergy[channel] * (1 - Self.keep)
                cross[channel] = cross[channel] * Self.keep + blockCross[channel] * (1 - Self.keep)
                if energy[channel] > energy[loudest] { loudest = channel }
            }
            sumEnergy = sumEnergy * Self.keep + blockSumEnergy * (1 - Self.keep)
            turnSigns()
            if energy[loudest] > energy[leader] * Self.leaderMargin {
                leader = loudest
                for channel in cross.indices { cross[channel] = 0 }
            }
            let top = energy[loudest]
            let limit = Float(energy.count)
            let level: Float
            if top < 1e-14 {
                level = 1 / limit
            } else {
                level = min(1, max(1 / limit, (top / max(sumEnergy, top * 1e-6)).squareRoot()))
            }
            from = to
            for channel in to.indices {
                to[channel] = signs[channel] * level
                blockEnergy[channel] = 0
                blockCross[channel] = 0
            }
            blockSumEnergy = 0
        }

        private mutating func turnSigns() {
            var turned = false
            let reference = signs[leader]
            for channel in signs.indices where channel != leader {
                let scale = (energy[channel] * energy[leader]).squareRoot()
                let agreement = cross[channel] * reference * signs[channel]
                if scale > 0, agreement < Self.turnCorrelation * scale {
                    signs[channel] = -signs[channel]
                    turned = true
                }
            }
            guard turned else { return }
            // The power of the new sum is not measured yet; take it as that of uncorrelated channels.
            sumEnergy = energy.reduce(0, +)
        }
    }
}
