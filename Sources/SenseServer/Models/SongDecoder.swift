import HarmoniAI

/// A song's stem data, or what is wrong with it.
struct SongDecoding: Sendable {
    let result: Result<StemData, HarmoniAIError>
}

/// Decodes stem data away from the network loops: sixteen megabytes of JSON take longer than a loop may pause.
final class SongDecoder: BatchScorer {
    func score(_ jobs: [[UInt8]]) -> [SongDecoding?] {
        jobs.map { bytes in
            do throws(HarmoniAIError) {
                return SongDecoding(result: .success(try StemDataDecoder().decode(bytes)))
            } catch {
                return SongDecoding(result: .failure(error))
            }
        }
    }
}
