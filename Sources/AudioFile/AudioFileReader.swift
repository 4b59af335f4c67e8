// The one file that calls libsndfile. What makes its unsafe code safe: `handle` comes from a successful sf_open, is
// owned by one value that cannot be copied, and is closed once, in deinit; buffers are passed with their own count.
import CSndfile
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An open audio file (wav, flac, ogg, mp3 and what else libsndfile knows), read in blocks.
///
/// Isolation: one thread at a time. Reading blocks on the disk, so it does not belong on an event loop.
@safe public struct AudioFileReader: ~Copyable {
    /// Frames a second.
    public let sampleRateHz: Int
    /// Samples in a frame.
    public let channels: Int
    /// Frames in the file, as its header or an estimate says; nil when it does not say. The truth is what `read`
    /// returns.
    public let frames: Int64?
    /// The path that was opened.
    public let path: String
    /// Frames read so far.
    public private(set) var position: Int64 = 0

    private let handle: OpaquePointer
    private let maxFrames: Int64

    /// Opens `path` and reads its header.
    ///
    /// - Throws: every case of `AudioFileError` but `damaged`.
    public init(path: String, limits: AudioFileLimits = AudioFileLimits()) throws(AudioFileError) {
        try Self.checkRegular(path)
        var info = SF_INFO()
        let opened = try unsafe Self.open(path, &info)
        let rate = Int64(info.samplerate)
        let maxFrames = rate * limits.seconds
        let frames: Int64? = info.frames < 0 || info.frames == Int64.max ? nil : info.frames
        if let fault = Self.rangeFault(
            path, rate: rate, channels: Int64(info.channels), frames: frames, maxFrames: maxFrames)
        {
            _ = unsafe sf_close(opened)
            throw fault
        }
        unsafe handle = opened
        self.path = path
        sampleRateHz = Int(info.samplerate)
        channels = Int(info.channels)
        self.frames = frames
        self.maxFrames = maxFrames
    }

    deinit {
        _ = unsafe sf_close(handle)
    }

    /// Reads the next frames into `samples`, interleaved, full scale ±1 (float files may exceed it), replacing what
    /// it held. Its storage is used again from call to call.
    ///
    /// - Parameter maxFrames: most frames wanted, 1…`AudioFileLimits.maxBlockFrames`; brought within.
    /// - Returns: frames read; 0 at the end of the file.
    /// - Throws: `damaged`, or `outOfRange` for a file that goes on beyond the accepted length.
    public mutating func read(into samples: inout [Float], maxFrames wanted: Int) throws(AudioFileError)
        -> Int
    {
        let block = min(AudioFileLimits.maxBlockFrames, max(1, wanted))
        if samples.count != block * channels { samples = [Float](repeating: 0, count: block * channels) }
        let handle = unsafe self.handle
        let got = unsafe samples.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return sf_count_t(0) }
            return unsafe sf_readf_float(handle, base, sf_count_t(block))
        }
        let count = Int(max(0, min(got, sf_count_t(block))))
        if count < block {
            samples.removeLast((block - count) * channels)
            let code = unsafe sf_error(handle)
            guard code == 0 else {
                throw .damaged(path: path, frame: position + Int64(count), reason: unsafe Self.reason(handle))
            }
        }
        position += Int64(count)
        guard position <= maxFrames else {
            throw .outOfRange(path: path, field: "length in frames", got: position, accepted: 0...maxFrames)
        }
        return count
    }

    private static func rangeFault(
        _ path: String, rate: Int64, channels: Int64, frames: Int64?, maxFrames: Int64
    ) -> AudioFileError? {
        guard AudioFileLimits.sampleRateHz.contains(rate) else {
            return .outOfRange(
                path: path, field: "sample rate in Hz", got: rate, accepted: AudioFileLimits.sampleRateHz)
        }
        guard AudioFileLimits.channels.contains(channels) else {
            return .outOfRange(
                path: path, field: "channels", got: channels, accepted: AudioFileLimits.channels)
        }
        if let frames, frames > maxFrames {
            return .outOfRange(path: path, field: "length in frames", got: frames, accepted: 0...maxFrames)
        }
        return nil
    }

    /// libsndfile would report a directory as an unknown format, and wait on a pipe.
    private static func checkRegular(_ path: String) throws(AudioFileError) {
        guard !path.utf8.contains(0) else { throw .notFound(path: path) }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            let code = errno
            guard code != ENOENT, code != ENOTDIR else { throw .notFound(path: path) }
            throw .unreadable(path: path, reason: unsafe String(cString: strerror(code)))
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .isDirectory(path: path)
        default: throw .notRegular(path: path)
        }
        guard unsafe access(path, R_OK) == 0 else {
            throw .unreadable(path: path, reason: unsafe String(cString: strerror(errno)))
        }
    }

    /// libsndfile keeps the error of a failed open in one place for the process; the lock is held until it is read.
    private static let openLock = Mutex(())

    private static func open(_ path: String, _ info: inout SF_INFO) throws(AudioFileError) -> OpaquePointer {
        let result = unsafe openLock.withLock { _ -> Result<OpaquePointer, AudioFileError> in
            guard let opened = unsafe sf_open(path, Int32(SFM_READ), &info) else {
                return unsafe .failure(openFault(path))
            }
            return unsafe .success(opened)
        }
        return try unsafe result.get()
    }

    /// Called with the lock held.
    private static func openFault(_ path: String) -> AudioFileError {
        let reason = unsafe reason(nil)
        return unsafe sf_error(nil) == SF_ERR_SYSTEM
            ? .unreadable(path: path, reason: reason) : .notAudio(path: path, reason: reason)
    }

    private static func reason(_ handle: OpaquePointer?) -> String {
        guard let text = unsafe sf_strerror(handle) else { return "unknown" }
        let reason = unsafe String(cString: text)
        return reason.hasSuffix(".") ? String(reason.dropLast()) : reason
    }
}
