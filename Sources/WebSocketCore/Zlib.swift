// The only file that touches zlib. Invariants: a z_stream lives at one heap address from init to deinit
// (zlib keeps a pointer back to it), `next_in`/`next_out` point into spans that outlive the call that reads
// them and are never used after it, and an instance belongs to one owner (no two threads at once).

internal import CZlib

/// One z_stream at one heap address: zlib's side of the three streams below.
@safe
private final class ZStream {
    private let stream: UnsafeMutablePointer<z_stream>
    private let end: (UnsafeMutablePointer<z_stream>) -> Int32

    /// - Parameters:
    ///   - start: initialises the stream; what zlib refuses leaves nothing behind that `end` could free twice.
    ///   - end: frees what zlib holds.
    /// - Returns: nil unless `start` says Z_OK; `deinit` has freed all by then.
    init?(
        _ start: (UnsafeMutablePointer<z_stream>) -> Int32,
        end: @escaping (UnsafeMutablePointer<z_stream>) -> Int32
    ) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe self.end = end
        guard unsafe start(stream) == Z_OK else { return nil }
    }

    deinit {
        _ = unsafe end(stream)
        unsafe stream.deallocate()
    }

    /// Input that zlib has not taken yet, bytes.
    var unreadBytes: Int { unsafe Int(stream.pointee.avail_in) }
    /// Room of the last step that zlib left unused, bytes.
    var unusedBytes: Int { unsafe Int(stream.pointee.avail_out) }
    /// `data_type` of zlib.
    var dataType: Int32 { unsafe stream.pointee.data_type }

    /// Calls zlib outside a step.
    func call(_ body: (UnsafeMutablePointer<z_stream>) -> Int32) -> Int32 { unsafe body(stream) }

    /// Lends `input` to zlib while `body` runs. zlib counts in 32 bits, and messages are far below.
    ///
    /// - Returns: nil, without a call of `body`, if it is too long to count.
    func reading<Result>(_ input: Span<UInt8>, _ body: () -> Result) -> Result? {
        unsafe input.withUnsafeBufferPointer { source in
            guard source.count <= Int(Int32.max) else { return nil }
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(source.count)
            defer {
                unsafe stream.pointee.next_in = nil
                unsafe stream.pointee.next_out = nil
            }
            return body()
        }
    }

    /// Appends what one call of zlib writes, at most `room` bytes; returns its code.
    func step(
        into output: inout [UInt8], room: Int, _ body: (UnsafeMutablePointer<z_stream>) -> Int32
    ) -> Int32 {
        var code = Z_OK
        output.append(addingCapacity: room) { target in
            unsafe target.withUnsafeMutableBufferPointer { buffer, initialized in
                guard let base = buffer.baseAddress else { return }
                let free = min(room, Int(Int32.max))
                unsafe stream.pointee.next_out = base + initialized
                unsafe stream.pointee.avail_out = UInt32(free)
                code = unsafe body(stream)
                initialized += unsafe free - Int(stream.pointee.avail_out)
            }
        }
        return code
    }
}

/// A raw deflate stream (RFC 1951) that keeps its window from message to message until it is reset.
final class Deflater {
    private let stream: ZStream
    let windowBits: Int

    /// - Parameters:
    ///   - windowBits: 9...15; zlib has no raw deflate with the 256-byte window of 8.
    ///   - level: 1 (fast) ... 9.
    ///   - memoryLevel: 1...9; the state takes 2^(windowBits+2) + 2^(memoryLevel+9) bytes.
    /// - Returns: nil when zlib refuses a parameter or has no memory.
    init?(windowBits: Int, level: Int, memoryLevel: Int) {
        let stream = unsafe ZStream(
            {
                unsafe deflateInit2_(
                    $0, Int32(level), Z_DEFLATED, Int32(-windowBits), Int32(memoryLevel), Z_DEFAULT_STRATEGY,
                    ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
            }, end: { unsafe deflateEnd($0) })
        guard let stream else { return nil }
        self.stream = stream
        self.windowBits = windowBits
    }

    /// Forgets the window; the next message stands for itself.
    func reset() {
        _ = unsafe stream.call { unsafe deflateReset($0) }
    }

    /// Appends the compressed message, ended by a sync flush (its last four bytes are 00 00 FF FF).
    ///
    /// - Returns: false when zlib failed; the output then ends anywhere.
    func deflateSynced(_ input: Span<UInt8>, into output: inout [UInt8]) -> Bool {
        let bound = unsafe stream.call { unsafe Int32(clamping: deflateBound($0, UInt(input.count))) }
        return stream.reading(input) {
            var room = Int(bound) + 16
            while true {
                let code = unsafe stream.step(into: &output, room: room) {
                    unsafe CZlib.deflate($0, Z_SYNC_FLUSH)
                }
                guard code == Z_OK, stream.unusedBytes == 0 else { return code == Z_OK }
                room = 4096
            }
        } ?? false
    }
}

/// A raw inflate stream that keeps its window from message to message until it is reset.
final class Inflater {
    /// How an inflation step ended.
    enum Outcome: Equatable {
        /// All input is used.
        case done
        /// The output would pass the limit.
        case limit
        /// The data is no deflate stream.
        case invalid
        /// zlib has no memory.
        case noMemory
    }

    private let stream: ZStream
    let windowBits: Int

    /// - Parameter windowBits: 8...15, at least what the sender uses.
    /// - Returns: nil when zlib refuses it or has no memory.
    init?(windowBits: Int) {
        let stream = unsafe ZStream(
            {
                unsafe inflateInit2_(
                    $0, Int32(-windowBits), ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
            }, end: { unsafe inflateEnd($0) })
        guard let stream else { return nil }
        self.stream = stream
        self.windowBits = windowBits
    }

    /// Forgets the window and any error.
    func reset() {
        _ = unsafe stream.call { unsafe inflateReset($0) }
    }

    /// Whether the stream stands between two blocks, where a message must end.
    var isBetweenBlocks: Bool {
        // data_type: 128 right before a block's header, low bits = unused bits of the last byte.
        stream.dataType & 128 != 0
    }

    /// Inflates all of `input`, appending to `output` while it is at most `maxBytes` long; it never grows past
    /// that by more than one step's capacity of 16 KiB.
    func inflate(_ input: Span<UInt8>, into output: inout [UInt8], maxBytes: Int) -> Outcome {
        stream.reading(input) { drain(into: &output, maxBytes: maxBytes) } ?? .limit
    }

    private func drain(into output: inout [UInt8], maxBytes: Int) -> Outcome {
        var room = min(16384, max(256, stream.unreadBytes * 4))
        while true {
            // One byte above the limit is enough to know that it is passed.
            let allowed = min(room, maxBytes - output.count + 1)
            guard allowed > 0 else { return .limit }
            let code = unsafe stream.step(into: &output, room: allowed) {
                unsafe CZlib.inflate($0, Z_SYNC_FLUSH)
            }
            if output.count > maxBytes { return .limit }
            switch code {
            case Z_OK, Z_BUF_ERROR: break
            case Z_STREAM_END:
                // A block marked as last (RFC 7692 section 7.2.3.4): go on with the same window.
                _ = unsafe stream.call { unsafe inflateResetKeep($0) }
            case Z_MEM_ERROR: return .noMemory
            default: return .invalid
            }
            // Output left unfilled means that zlib holds nothing back.
            if stream.unreadBytes == 0, stream.unusedBytes > 0 { return .done }
            if code == Z_BUF_ERROR, stream.unusedBytes > 0 { return .invalid }
            room = 16384
        }
    }
}

/// A gzip file (RFC 1952), header and checksum included, from start to end.
final class GzipInflater {
    private let stream: ZStream

    /// - Returns: nil when zlib has no memory.
    init?() {
        // 15 bits of window, and 16 more for "gzip, nothing else".
        let stream = unsafe ZStream(
            { unsafe inflateInit2_($0, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) },
            end: { unsafe inflateEnd($0) })
        guard let stream else { return nil }
        self.stream = stream
    }

    /// Inflates one whole file. `output` never grows past `maxBytes` by more than one byte.
    func inflate(_ input: Span<UInt8>, into output: inout [UInt8], maxBytes: Int) -> Inflater.Outcome {
        stream.reading(input) {
            while true {
                let room = min(65_536, maxBytes - output.count + 1)
                guard room > 0 else { return .limit }
                let code = unsafe stream.step(into: &output, room: room) {
                    unsafe CZlib.inflate($0, Z_NO_FLUSH)
                }
                if output.count > maxBytes { return .limit }
                switch code {
                case Z_STREAM_END: return stream.unreadBytes == 0 ? .done : .invalid
                case Z_OK:
                    // No more input and room left: the file ends too early.
                    if stream.unreadBytes == 0, stream.unusedBytes > 0 { return .invalid }
                case Z_MEM_ERROR: return .noMemory
                default: return .invalid
                }
            }
        } ?? .limit
    }
}
