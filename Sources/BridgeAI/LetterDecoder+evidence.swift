import Numerics

extension LetterDecoder {
    private static let (d, i, j, x, z) = (3, 8, 9, 23, 25)

    /// A frame with a hand.
    mutating func observe(_ moment: Moment) -> LetterUpdate {
        let speed = max(moment.motion.shapeSpeed, tuning.travelShare * moment.motion.travelSpeed)
        let fade = Float(Elementary.exp(Double(-moment.stepUs / tuning.topSpeedUs)))
        topSpeed = min(
            tuning.topSpeed.upperBound, max(tuning.topSpeed.lowerBound, speed, topSpeed * fade))
        peakSpeed = max(peakSpeed, speed)
        let still = max(tuning.stillSpeed, tuning.stillShare * topSpeed)
        // An arm that carries the hand into place or away does not spell.
        let carried = (moment.motion.travelSpeed - tuning.spellingTravel) / tuning.spellingTravel
        let excess = max(0, (speed - still) / max(topSpeed - still, 0.1), carried)
        watchForBounce(moment)
        let leader = gather(moment, excess)

        if let drawn = trail.add(moment.motion, moment.scores, frame: moment.frame, timeUs: moment.timeUs),
            let update = commit(drawn, moment)
        {
            return update
        }
        // A candidate that was overtaken or has faded has passed, for better or worse.
        if let passing = candidate {
            let left = evidence[passing.letter]
            if leader.map({ $0 != passing.letter && evidence[$0] > left }) ?? true
                || left < tuning.passed * passing.highest
            {
                candidate = nil
                if hasShown(passing), let update = commit(passing, moment) { return update }
            }
        }
        advance(leader, speed, moment)
        if let standing = candidate, excess == 0, evidence[standing.letter] >= tuning.holdEvidence,
            let update = commit(standing, moment)
        {
            candidate = nil
            return update
        }
        if rests(moment, excess) { return show(.space, moment.scores, moment.frame) }
        return show(candidate != nil || held != nil ? .partial : .uncertain, moment.scores, moment.frame)
    }

    /// Adds one frame's evidence; the letter that leads, if any may.
    private mutating func gather(_ moment: Moment, _ excess: Float) -> Int? {
        let scores = moment.scores
        // Without motion there is no J and no Z: the others share their probability.
        let still = max(0.02, 1 - scores[Self.j] - scores[Self.z])
        let shown = 1 - tuning.rejectShare * (1 - scores.letterProbability)
        let units = moment.stepUs / tuning.unitUs
        let keep = Float(Elementary.exp(Double(-moment.stepUs / tuning.meanUs)))
        let weight = moment.stepUs * max(0.02, 1 - excess)
        let against = max(tuning.neutral, tuning.takeOver * heldProbability(scores))
        var leader: Int?
        for index in 0..<Letter.count where index != Self.j && index != Self.z {
            let probability = scores[index] / still
            let isHeld = held?.letter == index
            let ratio = (probability * shown + 0.003) / (isHeld ? tuning.neutral : against)
            // Most letters are far from likely, and a logarithm costs more than all the rest.
            let said =
                ratio < leastRatio
                ? tuning.floor : max(tuning.floor, Float(Elementary.log(Double(ratio))))
            let gained = said - tuning.motionCost * excess
            let sum = max(0, min(2 * tuning.holdEvidence, evidence[index] + gained * units))
            evidence[index] = sum
            mean[index] = mean[index] * keep + probability * weight
            if sum > (leader.map { evidence[$0] } ?? 0), !isBlocked(index, moment.timeUs) { leader = index }
        }
        return leader
    }

    /// How likely the frame still shows the letter that was committed last and has not been left.
    private func heldProbability(_ scores: LetterScores) -> Float {
        guard let held, !held.isReleased else { return 0 }
        return switch held.letter {
        case Self.i, Self.j: scores[Self.i] + scores[Self.j]
        case Self.d: scores[Self.d] + scores[Self.z]
        // Some people draw the Z with a bent finger.
        case Self.z: scores[Self.d] + scores[Self.z] + scores[Self.x]
        default: scores[held.letter]
        }
    }

    /// Whether the letter was committed already and is only held on.
    private func isBlocked(_ letter: Int, _ timeUs: UInt64) -> Bool {
        guard let held else { return false }
        let isSame =
            held.letter == letter || held.letter == Self.j && letter == Self.i
            || held.letter == Self.z && (letter == Self.d || letter == Self.x)
        return isSame && (!held.isReleased || timeUs < held.sinceUs &+ tuning.repeatUs)
    }

    /// Follows the leading letter.
    private mutating func advance(_ leader: Int?, _ speed: Float, _ moment: Moment) {
        guard let leader else { return }
        guard var current = candidate, current.letter == leader else {
            candidate = Candidate(
                letter: leader, firstFrame: moment.frame, startUs: moment.timeUs, lastFrame: moment.frame,
                endUs: moment.timeUs, highest: evidence[leader], speedBefore: peakSpeed, slowest: speed,
                speedSince: speed)
            return
        }
        if evidence[leader] >= current.highest {
            current.highest = evidence[leader]
            current.lastFrame = moment.frame
            current.endUs = moment.timeUs
        }
        if speed < current.slowest {
            current.slowest = speed
            current.speedSince = speed
        } else {
            current.speedSince = max(current.speedSince, speed)
        }
        candidate = current
    }

    /// Whether a letter that has passed was meant: enough evidence, in a valley between two movements.
    private func hasShown(_ passing: Candidate) -> Bool {
        guard passing.highest >= tuning.passEvidence else { return false }
        let around = min(
            max(passing.speedBefore, tuning.stillSpeed), max(passing.speedSince, peakSpeed * 0.5))
        return passing.slowest <= tuning.valley * around
    }

    /// Motion of the hand against what a bounce takes: from 1 on it may be one, below 3/4 the hand stands.
    func pace(of motion: HandMotion) -> Float {
        max(
            motion.shapeSpeed / tuning.bounceShapeSpeed, motion.travelSpeed / tuning.bounceTravelSpeed,
            motion.approachSpeed / tuning.bounceApproachSpeed)
    }

    /// Watches the letter committed last for a bounce or a slide.
    private mutating func watchForBounce(_ moment: Moment) {
        guard var current = held, !current.isReleased else { return }
        defer { held = current }
        let motion = moment.motion
        let pace = pace(of: motion)
        guard current.hasSettled else {
            current.hasSettled = pace < 0.75
            return
        }
        let seconds = moment.stepUs / 1_000_000
        if pace > 1 {
            current.travel += motion.travelSpeed * seconds
            current.shape += motion.shapeSpeed * seconds
            current.approach += motion.approachSpeed * seconds
            current.movingUs += moment.stepUs
            current.quietUs = 0
            current.longestTravel = max(current.longestTravel, motion.travelStep)
            current.longestShape = max(current.longestShape, motion.shapeStep)
        } else if pace < 0.75 {
            current.quietUs += moment.stepUs
            // Leaps are a camera that stutters or a detector that slips, not a movement. The share of one step in a real one
            // grows with the time between two frames.
            let leap = min(tuning.longestLeap, 0.2 + tuning.leapPerSecond * seconds)
            current.isReleased =
                current.movingUs >= tuning.bounceUs
                && (current.travel >= tuning.bounceTravel
                    && current.longestTravel < leap * current.travel
                    || current.shape >= tuning.bounceShape
                        && current.longestShape < leap * current.shape
                    || current.approach >= tuning.bounceApproach
                        && current.longestTravel < leap * current.travel)
            if current.isReleased { evidence[current.letter] = 0 }
            // A hand also stands for a moment where a bounce turns back.
            if current.quietUs >= tuning.turnUs, !current.isReleased {
                current = HeldLetter(letter: current.letter, sinceUs: current.sinceUs, hasSettled: true)
            }
        }
    }

    /// Rest: a hand that keeps still and shows no letter. True when that makes a space.
    private mutating func rests(_ moment: Moment, _ excess: Float) -> Bool {
        guard settings.restSpaceUs > 0, excess == 0, moment.scores.letterProbability < 0.5 else {
            restUs = 0
            return false
        }
        restUs += moment.stepUs
        guard restUs >= Float(settings.restSpaceUs) else { return false }
        restUs = 0
        return writeSpace()
    }
}
