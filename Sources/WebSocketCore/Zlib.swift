// The only file that touches zlib. Invariants: a z_stream lives at one heap address from init to deinit
// (zlib keeps a pointer back to it), `next_in`/`next_out` point into spans that outlive the call that reads
// them and are never used after it, and an instance belongs to one owner (no two threads at once).

internal import CZlib

/// A raw deflate stream (RFC 1951) that keeps its window from message to message until it is reset.
@safe
final class Deflater {
    private let stream: UnsafeMutablePointer<z_stream>
    let windowBits: Int

    /// - Parameters:
    ///   - windowBits: 9...15; zlib has no raw deflate with the 256-byte window of 8.
    ///   - level: 1 (fast) ... 9.
    ///   - memoryLevel: 1...9; the state takes 2^(windowBits+2) + 2^(memoryLevel+9) bytes.
    /// - Returns: nil when zlib refuses a parameter or has no memory.
    init?(windowBits: Int, level: Int, memoryLevel: Int) {
        self.windowBits = windowBits
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let code = unsafe deflateInit2_(
            stream, Int32(level), Z_DEFLATED, Int32(-windowBits), Int32(memoryLevel), Z_DEFAULT_STRATEGY,
            ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Forgets the window; the next message stands for itself.
    func reset() {
        unsafe deflateReset(stream)
    }

    /// Appends the compressed message, ended by a sync flush (its last four bytes are 00 00 FF FF).
    ///
    /// - Returns: false when zlib failed; the output then ends anywhere.
    func deflateSynced(_ input: Span<UInt8>, into output: inout [UInt8]) -> Bool {
        unsafe input.withUnsafeBufferPointer { source in
            // zlib counts in 32 bits; messages are far below.
            guard source.count <= Int(Int32.max) else { return false }
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(source.count)
            var room = Int(unsafe deflateBound(stream, UInt(source.count))) + 16
            var isDone = false
            var code = Z_OK
            while !isDone {
                output.append(addingCapacity: room) { target in
                    unsafe target.withUnsafeMutableBufferPointer { buffer, initialized in
                        guard let base = buffer.baseAddress else { return }
                        let free = min(buffer.count - initialized, Int(Int32.max))
                        unsafe stream.pointee.next_out = base + initialized
                        unsafe stream.pointee.avail_out = UInt32(free)
                        code = unsafe CZlib.deflate(stream, Z_SYNC_FLUSH)
                        initialized += unsafe free - Int(stream.pointee.avail_out)
                    }
                }
                isDone = unsafe code != Z_OK || stream.pointee.avail_out > 0
                room = 4096
            }
            unsafe stream.pointee.next_in = nil
            unsafe stream.pointee.next_out = nil
            return code == Z_OK
        }
    }
}

/// A raw inflate stream that keeps its window from message to message until it is reset.
@safe
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

    private let stream: UnsafeMutablePointer<z_stream>
    let windowBits: Int

    /// - Parameter windowBits: 8...15, at least what the sender uses.
    /// - Returns: nil when zlib has no memory.
    init?(windowBits: Int) {
        self.windowBits = windowBits
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let code = unsafe inflateInit2_(
            stream, Int32(-windowBits), ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Forgets the window and any error.
    func reset() {
        unsafe inflateReset(stream)
    }

    /// Whether the stream stands between two blocks, where a message must end.
    var isBetweenBlocks: Bool {
        // data_type: 128 right before a block's header, low bits = unused bits of the last byte.
        unsafe stream.pointee.data_type & 128 != 0
    }

    /// Inflates all of `input`, appending to `output` while it is at most `maxBytes` long; it never grows past
    /// that by more than one step's capacity of 16 KiB.
    func inflate(_ input: Span<UInt8>, into output: inout [UInt8], maxBytes: Int) -> Outcome {
        unsafe input.withUnsafeBufferPointer { source in
            guard source.count <= Int(Int32.max) else { return .limit }
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(source.count)
            let outcome = drain(into: &output, maxBytes: maxBytes)
            unsafe stream.pointee.next_in = nil
            unsafe stream.pointee.next_out = nil
            return outcome
        }
    }

    private func drain(into output: inout [UInt8], maxBytes: Int) -> Outcome {
        var room = unsafe min(16384, max(256, Int(stream.pointee.avail_in) * 4))
        while true {
            // One byte above the limit is enough to know that it is passed.
            let allowed = min(room, maxBytes - output.count + 1)
            guard allowed > 0 else { return .limit }
            var code = Z_OK
            output.append(addingCapacity: allowed) { target in
                unsafe target.withUnsafeMutableBufferPointer { buffer, initialized in
                    guard let base = buffer.baseAddress else { return }
                    unsafe stream.pointee.next_out = base + initialized
                    unsafe stream.pointee.avail_out = UInt32(allowed)
                    code = unsafe CZlib.inflate(stream, Z_SYNC_FLUSH)
                    initialized += unsafe allowed - Int(stream.pointee.avail_out)
                }
            }
            if output.count > maxBytes { return .limit }
            switch code {
            case Z_OK, Z_BUF_ERROR: break
            case Z_STREAM_END:
                // A block marked as last (RFC 7692 section 7.2.3.4): go on with the same window.
                unsafe inflateResetKeep(stream)
            case Z_MEM_ERROR: return .noMemory
            default: return .invalid
            }
            // Output left unfilled means that zlib holds nothing back.
            let isDrained = unsafe stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0
            if isDrained { return .done }
            if code == Z_BUF_ERROR, unsafe stream.pointee.avail_out > 0 { return .invalid }
            room = 16384
        }
    }
}

/// A gzip file (RFC 1952), header and checksum included, from start to end.
@safe
final class GzipInflater {
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Returns: nil when zlib has no memory.
    init?() {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // 15 bits of window, and 16 more for "gzip, nothing else".
        let code = unsafe inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Inflates one whole file. `output` never grows past `maxBytes` by more than one byte.
    func inflate(_ input: Span<UInt8>, into output: inout [UInt8], maxBytes: Int) -> Inflater.Outcome {
        unsafe input.withUnsafeBufferPointer { source in
            guard source.count <= Int(Int32.max) else { return .limit }
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(source.count)
            defer {
                unsafe stream.pointee.next_in = nil
                unsafe stream.pointee.next_out = nil
            }
            while true {
                let room = min(65_536, maxBytes - output.count + 1)
                guard room > 0 else { return .limit }
                var code = Z_OK
                output.append(addingCapacity: room) { target in
                    unsafe target.withUnsafeMutableBufferPointer { buffer, initialized in
                        guard let base = buffer.baseAddress else { return }
                        unsafe stream.pointee.next_out = base + initialized
                        unsafe stream.pointee.avail_out = UInt32(room)
                        code = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
                        initialized += unsafe room - Int(stream.pointee.avail_out)
                    }
                }
                if output.count > maxBytes { return .limit }
                switch code {
                case Z_STREAM_END: return unsafe stream.pointee.avail_in == 0 ? .done : .invalid
                case Z_OK:
                    // No more input and room left: the file ends too early.
                    if unsafe stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0 { return .invalid }
                case Z_MEM_ERROR: return .noMemory
                default: return .invalid
                }
            }
        }
    }
}
