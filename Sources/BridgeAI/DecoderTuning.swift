/// The numbers of the decoder, chosen on words made from the training recordings (`ops/bench-letters --tune`).
///
/// Evidence is counted in natural logarithms a frame of 30 fps: a frame of Δt adds its evidence times Δt / 33 ms, so the
/// frame rate changes nothing.
public struct DecoderTuning: Equatable, Sendable {
    /// Time that one unit of evidence is for.
    public var unitUs: Float = 33_333
    /// Probability of a letter that is evidence neither for nor against it.
    public var neutral: Float = 0.2
    /// Most that one unit of time may say against a letter.
    public var floor: Float = -2.5
    /// Evidence that commits a letter while it is held: about 0.12 s of a clear one.
    public var holdEvidence: Float = 5.5
    /// Evidence that commits a letter when it passes: one clear frame at least.
    public var passEvidence: Float = 1.3
    /// A letter passes only through a valley of motion: its slowest moment against the fastest just before.
    public var valley: Float = 0.6
    /// Share of the speller's recent top speed below which a hand counts as holding.
    public var stillShare: Float = 0.3
    /// Speed below which any hand holds: what a detector's jitter looks like.
    public var stillSpeed: Float = 0.6
    /// Evidence against every letter at top speed.
    public var motionCost: Float = 3
    /// Share of the wrist's travel in a hand's speed.
    public var travelShare: Float = 0.2
    /// Palm lengths a second beyond which the wrist's travel is no part of spelling; twice as fast costs `motionCost`.
    public var spellingTravel: Float = 4
    /// Time constant of the recent top speed.
    public var topSpeedUs: Float = 1_200_000
    /// Bounds of the recent top speed.
    public var topSpeed: ClosedRange<Float> = 1.0...4.5
    /// Time constant of the mean probabilities of a commit.
    public var meanUs: Float = 120_000
    /// A letter takes over from the one that is held only with so many times its probability.
    public var takeOver: Float = 1.4
    /// A letter that passes is judged once its evidence fell to this share of its highest.
    public var passed: Float = 0.7
    /// Share of a commit's probability that its confusion group gets in equal parts.
    public var groupShare: Float = 0.04
    /// How far the no-letter answer may lower a letter's probability.
    public var rejectShare: Float = 0.85
    /// Speeds above which a held letter is moving: of the shape, of the wrist (palm lengths) and of the palm's size
    /// (logarithm), a second. Three quarters of them end the movement.
    public var bounceShapeSpeed: Float = 0.8
    /// As above.
    public var bounceTravelSpeed: Float = 1.8
    /// As above.
    public var bounceApproachSpeed: Float = 0.7
    /// Length of that movement, any of the three, that makes a bounce or a slide.
    public var bounceShape: Float = 0.10
    /// As above.
    public var bounceTravel: Float = 0.25
    /// As above.
    public var bounceApproach: Float = 0.08
    /// Shortest bounce.
    public var bounceUs: Float = 85_000
    /// Share of a movement that one step from frame to frame may make up: 0.2 and so much more for each second between the
    /// two, at most `longestLeap`.
    public var leapPerSecond: Float = 7.5
    /// As above.
    public var longestLeap: Float = 0.7
    /// Stillness that ends a movement; a bounce turns back within less.
    public var turnUs: Float = 80_000
    /// Least time between two commits of one letter.
    public var repeatUs: UInt64 = 130_000

    /// The chosen numbers.
    public init() {}
}
