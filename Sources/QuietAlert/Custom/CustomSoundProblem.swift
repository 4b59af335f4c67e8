/// Why an example or a sound cannot be learned from, with what was measured.
public enum CustomSoundProblem: Error, Equatable, Sendable {
    /// Nothing, or only digital silence, came while it was recorded.
    case silent
    /// It never gets loud enough to be told from the microphone's own noise.
    case tooQuiet(peakDecibels: Float)
    /// It sounds for too short a time.
    case tooShort(soundingMs: Int)
    /// It sounded before the recording began and went on all the time: nothing new was heard.
    case nothingNew
    /// The sound was not judged without a gap: the network was too busy.
    case interrupted
    /// An example (from 0, in the order of their recording) is less like the others than everyday sounds are.
    case unlike(example: Int, similarity: Float, least: Float)
    /// Even the most alike examples are no more like each other than everyday sounds are like them.
    case tooCommon(similarity: Float, strangers: Float)
}
