import AudioFile
import Glibc
import TestSupport
import Testing

@Suite struct AudioFileReaderTests {
    /// All samples of the file, read in blocks of `block` frames.
    static func readAll(_ path: String, block: Int) throws -> (samples: [Float], reads: [Int]) {
        var reader = try AudioFileReader(path: path)
        var all: [Float] = []
        var reads: [Int] = []
        var samples: [Float] = []
        while true {
            let count = try reader.read(into: &samples, maxFrames: block)
            #expect(samples.count == count * reader.channels)
            #expect(reader.position == Int64(all.count / reader.channels + count))
            guard count > 0 else { return (all, reads) }
            all += samples
            reads.append(count)
        }
    }

    /// The error of opening `path`.
    static func openFault(_ path: String, limits: AudioFileLimits = AudioFileLimits()) -> AudioFileError? {
        do throws(AudioFileError) {
            _ = try AudioFileReader(path: path, limits: limits)
        } catch { return error }
        return nil
    }

    static func fixture(_ name: String) -> String {
        let here = #filePath
        let folder = here.prefix(upTo: here.lastIndex(of: "/") ?? here.startIndex)
        return "\(folder)/Fixtures/\(name)"
    }

    @Test(arguments: [1, 3, 4, 100, 70_000, -5]) func wavSamplesAreExact(_ block: Int) throws {
        let folder = TemporaryFolder()
        let values: [Int16] = [0, 1, -1, 16_384, -16_384, 32_767, -32_768, 12_345, 3, -3]
        let path = folder.write("a.wav", WavFile(channels: 2, samples: values).bytes)
        let reader = try AudioFileReader(path: path)
        #expect(reader.sampleRateHz == 8_000)
        #expect(reader.channels == 2)
        #expect(reader.frames == 5)
        let (samples, reads) = try Self.readAll(path, block: block)
        #expect(samples == values.map { Float($0) / 32_768 })
        #expect(reads.allSatisfy { $0 <= max(1, block) })
        #expect(reads.reduce(0, +) == 5)
    }

    /// Generated tones: 440 Hz (left) and, in stereo, 880 Hz (right), about half of full scale.
    @Test(arguments: [
        ("tone.flac", 22_050, 1, 11_025, 0), ("tone.ogg", 44_100, 2, 11_025, 0),
        ("tone.mp3", 44_100, 1, 13_230, 3_456),
    ]) func compressedTonesAreRead(_ name: String, _ rate: Int, _ channels: Int, _ frames: Int, _ slack: Int)
        throws
    {
        let reader = try AudioFileReader(path: Self.fixture(name))
        #expect(reader.sampleRateHz == rate)
        #expect(reader.channels == channels)
        let (samples, _) = try Self.readAll(Self.fixture(name), block: 1_000)
        let got = samples.count / channels
        #expect((frames...(frames + slack)).contains(got), "\(got) frames")
        for channel in 0..<channels {
            let part = stride(from: channel, to: samples.count, by: channels).map { samples[$0] }
            // Rising zero crossings in the middle half count the cycles of the tone.
            let middle = part[(part.count / 4)..<(part.count * 3 / 4)]
            let crossings = zip(middle, middle.dropFirst()).count { $0 < 0 && $1 >= 0 }
            let frequencyHz = Double(crossings) * Double(rate) / Double(middle.count)
            #expect(abs(frequencyHz - 440 * Double(channel + 1)) < 12, "\(name) \(channel): \(frequencyHz)")
            let peak = middle.map { abs($0) }.max() ?? 0
            #expect((0.4...0.65).contains(peak), "\(name) \(channel): \(peak)")
        }
    }

    @Test func emptyAudioHasNoFrames() throws {
        let folder = TemporaryFolder()
        #expect(try Self.readAll(folder.write("e.wav", WavFile().bytes), block: 10).samples.isEmpty)
    }

    @Test func missingFileIsNamed() {
        for path in ["/nowhere/at/all.wav", "", "a\0b", "/etc/passwd/x.wav"] {
            #expect(Self.openFault(path) == .notFound(path: path))
        }
    }

    @Test func directoryPipeAndDeviceAreNamed() {
        let folder = TemporaryFolder()
        #expect(Self.openFault(folder.path) == .isDirectory(path: folder.path))
        let pipe = folder.pipe("p")
        #expect(Self.openFault(pipe) == .notRegular(path: pipe))
        #expect(Self.openFault("/dev/zero") == .notRegular(path: "/dev/zero"))
    }

    /// The administrator may read everything, so there is nothing to refuse then.
    @Test(.enabled(if: geteuid() != 0)) func fileWithoutPermissionIsNamed() {
        let folder = TemporaryFolder()
        let path = folder.write("secret.wav", WavFile(samples: [1]).bytes)
        _ = unsafe chmod(path, 0)
        #expect(Self.openFault(path) == .unreadable(path: path, reason: "Permission denied"))
    }

    @Test(arguments: [
        [], [0], Array("label,handedness,x0\nA,Left,0.5\n".utf8), Array("RIFF".utf8),
        Array("{\"metadata\": {}}".utf8), [UInt8](repeating: 0, count: 4_096),
    ]) func otherFilesAreNotAudio(_ bytes: [UInt8]) {
        let folder = TemporaryFolder()
        let path = folder.write("x.wav", bytes)
        guard case .notAudio(path, let reason) = Self.openFault(path) else {
            Issue.record("\(bytes.prefix(8)): \(String(describing: Self.openFault(path)))")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test func propertiesOutsideTheRangeAreNamed() {
        let folder = TemporaryFolder()
        let slow = folder.write("slow.wav", WavFile(sampleRateHz: 4_000, samples: [0, 0]).bytes)
        #expect(
            Self.openFault(slow)
                == .outOfRange(path: slow, field: "sample rate in Hz", got: 4_000, accepted: 8_000...192_000))
        let wide = folder.write(
            "wide.wav", WavFile(channels: 40, samples: [Int16](repeating: 0, count: 80)).bytes)
        #expect(Self.openFault(wide) == .outOfRange(path: wide, field: "channels", got: 40, accepted: 1...32))
        let long = folder.write("long.wav", WavFile(samples: [Int16](repeating: 0, count: 16_001)).bytes)
        #expect(
            Self.openFault(long, limits: AudioFileLimits(seconds: 2))
                == .outOfRange(path: long, field: "length in frames", got: 16_001, accepted: 0...16_000))
        #expect(Self.openFault(long, limits: AudioFileLimits(seconds: 3)) == nil)
    }

    /// A header that promises 4 GB gives what is there.
    @Test func lyingLengthGivesWhatIsThere() throws {
        let folder = TemporaryFolder()
        let path = folder.write("lie.wav", WavFile(samples: [5, 6, 7], statedBytes: 0xffff_fff0).bytes)
        #expect(try Self.readAll(path, block: 100).samples == [5, 6, 7].map { $0 / 32_768 })
    }

    /// Cut and altered files end in an error or in fewer frames; they never trap or hang.
    @Test(arguments: ["tone.flac", "tone.ogg", "tone.mp3"]) func damagedFilesNeverTrap(_ name: String) throws
    {
        let good = try Self.bytes(of: Self.fixture(name))
        let folder = TemporaryFolder()
        var random = SeededBytes(seed: 17)
        for round in 0..<60 {
            var bytes = good
            if round % 2 == 0 { bytes.removeLast(good.count * (round + 2) / 64) }
            for _ in 0..<round {
                guard !bytes.isEmpty else { break }
                bytes[random.int(in: 0...bytes.count - 1)] = UInt8(truncatingIfNeeded: random.next())
            }
            let path = folder.write("d\(round)", bytes)
            do {
                let samples = try Self.readAll(path, block: 4_096).samples
                #expect(samples.count < 1_000_000)
            } catch let error as AudioFileError {
                #expect(error.description.hasPrefix(path))
            }
        }
    }

    static func bytes(of path: String) throws -> [UInt8] {
        let handle = unsafe fopen(path, "rb")
        let file = unsafe try #require(handle)
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }
}
