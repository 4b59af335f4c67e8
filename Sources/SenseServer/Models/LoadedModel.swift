import Inference
import SenseProtocol
import TLS

/// A model that was read, hashed, and found to answer as its manifest says.
struct LoadedModel: Sendable {
    let entry: ModelManifest.Model
    let network: InferenceModel

    /// The wire's description.
    var info: ModelInfo {
        ModelInfo(name: entry.name, version: entry.version, sha256: entry.sha256, labels: entry.labels)
    }

    /// Loads `entry` from `folder` and checks it.
    /// - Throws: `ServerError`: unreadable, changed, damaged, or not answering as it should.
    init(_ entry: ModelManifest.Model, folder: String) throws(ServerError) {
        let path = folder + "/" + entry.file
        let bytes = try FileSystem.read(path, maxBytes: 512 << 20)
        let digest = PairingDesk.hexadecimal(SHA256.digest(of: bytes))
        guard digest == entry.sha256 else {
            throw ServerError(
                what: path, reason: "its SHA-256 is \(digest), the manifest says \(entry.sha256)",
                advice:
                    "The file is damaged or was exchanged. Restore it, or write the new hash into the manifest."
            )
        }
        do throws(InferenceError) {
            network = try InferenceModel(bytes: bytes)
        } catch {
            throw ServerError(
                what: path, reason: "\(error)", advice: "Export the model again (Models/README.md).")
        }
        self.entry = entry
        try checkPorts(path)
        try checkGolden(path)
    }

    private func checkPorts(_ path: String) throws(ServerError) {
        let pairs = [(entry.inputs, network.inputs), (entry.outputs, network.outputs)]
        for (wanted, found) in pairs {
            for port in wanted {
                let shape = found.first { $0.name == port.name }?.shape
                guard let shape, shape.dropFirst() == port.shape.dropFirst() else {
                    throw ServerError(
                        what: path, reason: "\(port.name): expected shape \(port.shape), got \(shape ?? [])",
                        advice: "Export the model again (Models/README.md).")
                }
            }
        }
    }

    private func checkGolden(_ path: String) throws(ServerError) {
        let advice = "This build computes something else than training did; do not rely on it. Report it."
        guard let input = network.inputs.first,
            let values = GoldenInput.make(entry.golden, count: input.rowCount)
        else {
            throw ServerError(
                what: path, reason: "golden.kind \(entry.golden.kind) is not known", advice: advice)
        }
        let answers: [String: [Float]]
        do throws(InferenceError) {
            answers = try ExecutionPlan(network, batch: 1).run(inputs: [input.name: values])
        } catch {
            throw ServerError(what: path, reason: "\(error)", advice: advice)
        }
        for output in entry.golden.outputs {
            let got = answers[output.name] ?? []
            let isRight =
                got.count == output.values.count
                && zip(got, output.values).allSatisfy { abs($0 - $1) <= entry.golden.tolerance }
            guard isRight else {
                throw ServerError(
                    what: path, reason: "\(output.name) differs from the golden output in the manifest",
                    advice: advice)
            }
        }
    }
}
