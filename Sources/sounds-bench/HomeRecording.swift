import AudioFile
import QuietAlert
import SessionCore

/// A recording of a home on its way through a session.
final class HomeRecording {
    let entry: StreamList.Entry
    let microphone: HomeMicrophone
    private var file: AudioFileReader
    private var block: [Float] = []

    init(_ entry: StreamList.Entry, _ context: SessionContext) throws {
        self.entry = entry
        file = try AudioFileReader(path: entry.path)
        guard file.sampleRateHz == AudioStepper.sampleRateHz, file.channels == 1 else {
            throw Usage(description: "\(entry.path): 22,050 Hz mono expected")
        }
        microphone = HomeMicrophone(context)
    }

    /// Sends the next chunk; false at the end of the recording.
    func step() throws -> Bool {
        guard try file.read(into: &block, maxFrames: HomeMicrophone.chunkSamples) > 0 else { return false }
        microphone.hear(block)
        return true
    }
}
