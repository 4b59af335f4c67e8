// The one unsafe call: the kernel fills a timespec that lives on this stack frame.
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// CPU time, so that what else the machine does does not count.
enum CPUClock {
    /// Seconds of the calling thread.
    static var thread: Double { seconds(CLOCK_THREAD_CPUTIME_ID) }
    /// Seconds of the whole process.
    static var process: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var now = timespec()
        unsafe clock_gettime(clock, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}
