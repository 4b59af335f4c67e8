import Inference
package import QuietAlert
import SenseProtocol
package import SessionCore

/// The models in use. A damaged or missing one stops the start: nobody shall believe to be heard who is not.
package struct ModelBay {
    let letters: LoadedModel?
    let sounds: LoadedModel?
    /// `sounds` in the form it runs in.
    package let soundNetwork: SoundNetwork?
    /// Where people's own sounds are compared; nil with `spaceProblem` where they cannot be.
    package let soundSpace: SoundSpace?
    private let spaceProblem: String

    /// Loads what the manifest of `folder` names.
    /// - Throws: `ServerError`.
    package init(folder: String) throws(ServerError) {
        let path = folder + "/manifest.json"
        let manifest = try ModelManifest(
            json: FileSystem.read(path, maxBytes: ModelManifest.maxBytes), path: path)
        var loaded: [String: LoadedModel] = [:]
        for entry in manifest.models { loaded[entry.name] = try LoadedModel(entry, folder: folder) }
        letters = loaded["bridgeai"]
        sounds = loaded["quietalert"]
        soundNetwork = sounds.map { SoundNetwork($0) }
        (soundSpace, spaceProblem) = Self.space(folder, for: sounds, soundNetwork)
        if let sounds, sounds.entry.labels != SoundLabel.networkLabels.map(\.rawValue) {
            throw ServerError(
                what: path, reason: "quietalert.labels: expected \(SoundLabel.networkLabels.map(\.rawValue))",
                advice: "Restore the file that came with the server.")
        }
    }

    /// File of the space, beside the models.
    static let spaceFile = "quietalert.space"

    /// Without it everything else is heard as before: what it says of a problem is told, and the server starts.
    private static func space(
        _ folder: String, for model: LoadedModel?, _ network: SoundNetwork?
    ) -> (SoundSpace?, String) {
        guard let model, let network else { return (nil, "no sound model in the manifest") }
        let bytes: [UInt8]
        do throws(ServerError) {
            bytes = try FileSystem.read(folder + "/" + spaceFile, maxBytes: SoundSpace.maxBytes)
        } catch {
            return (nil, "\(spaceFile): \(error.reason)")
        }
        guard let space = SoundSpace(bytes: bytes) else { return (nil, "\(spaceFile) is damaged") }
        let width = model.network.outputs.first { $0.name == "embedding" }?.rowCount
        guard PairingDesk.hexadecimal(space.modelDigest) == model.entry.sha256,
            space.embeddingWidth == width, space.stepSamples == network.stepSamples
        else { return (nil, "\(spaceFile) was made for another sound model (Models/README.md)") }
        return (space, "")
    }

    /// For Welcome.
    var infos: [ModelInfo] { [letters, sounds].compactMap { $0?.info } }

    /// What the manifest leaves out or this version cannot do yet.
    var unavailable: [Unavailable] {
        var list = [
            Unavailable(feature: "opus", reason: "only PCM is decoded", fallback: "send PCM_S16LE"),
            Unavailable(
                feature: "spoken_questions", reason: "speech recognition is not part of this version",
                fallback: "typed questions"),
        ]
        if soundSpace == nil {
            list.append(
                Unavailable(
                    feature: "custom_sounds", reason: spaceProblem, fallback: "the sounds listed in models"))
        }
        if letters == nil {
            list.append(
                Unavailable(feature: "letters", reason: "no letter model in the manifest", fallback: "none"))
        }
        if sounds == nil {
            list.append(
                Unavailable(
                    feature: "sounds", reason: "no sound model in the manifest",
                    fallback: "smoke and CO alarm patterns are still heard"))
        }
        return list
    }

    /// Thresholds chosen on training data.
    package var soundSettings: SoundSettings {
        guard let entry = sounds?.entry else { return SoundSettings(hasNetwork: false) }
        var thresholds = SoundThresholds()
        if let presence = entry.presenceThreshold { thresholds.presenceLogit = presence }
        for (label, threshold) in zip(SoundLabel.networkLabels, entry.classThresholds ?? []) {
            thresholds.presenceLogitByLabel[label] = threshold
        }
        var settings = SoundSettings(
            thresholds: thresholds, stepSamples: soundNetwork?.stepSamples ?? AudioStepper.stepSamples)
        settings.space = soundSpace
        settings.modelName = entry.name
        settings.modelVersion = entry.version
        return settings
    }
}
