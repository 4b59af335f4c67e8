import QuietAlert
import SenseProtocol

extension FieldProblem {
    /// Why an example or a sound was not taken, in words that say what to do.
    init(_ problem: CustomSoundProblem, of label: String) {
        func decibels(_ value: Float) -> String { "\(Int(max(-999, min(999, value)).rounded())) dBFS" }
        func percent(_ value: Float) -> String { "\(Int((max(-1, min(1, value)) * 100).rounded())) %" }
        let what = "\(label.prefix(40)): "
        let (expected, got): (String, String) =
            switch problem {
            case .silent: ("an example with sound in it", what + "silence")
            case .tooQuiet(let peak):
                (
                    "at least \(decibels(CustomSoundLimits.minLevelDecibels)) at its loudest; go nearer",
                    what + decibels(peak)
                )
            case .tooShort(let ms):
                ("at least \(CustomSoundLimits.minSoundingBlocks * 10) ms of sound", what + "\(ms) ms")
            case .nothingNew:
                ("a sound that begins after the recording", what + "nothing that was not there before")
            case .interrupted:
                ("an example that was heard without a gap; record it again", what + "one with a gap")
            case .unlike(let example, let similarity, let least):
                (
                    "examples at least \(percent(least)) alike; that one was left out",
                    what + "example \(example + 1), \(percent(similarity)) like the others"
                )
            case .tooCommon(let similarity, let strangers):
                (
                    "examples more like each other than everyday sounds are; they were left out",
                    what + "\(percent(similarity)) among them, everyday sounds \(percent(strangers))"
                )
            }
        self.init(
            problem == .interrupted ? .unavailable : .invalidValue, field: "sound_example.recording",
            expected: expected, got: got)
    }
}
