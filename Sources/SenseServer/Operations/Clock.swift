import Glibc
import Net
import SessionCore

/// Both clocks of the process. The only place of the server that reads them.
enum ServerClock {
    /// Monotonic and wall-clock microseconds together.
    static func now() -> Now {
        let monotonic = Syscalls.monotonicNow().nanoseconds / 1000
        var wall = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &wall)
        let unixUs = UInt64(clamping: wall.tv_sec) * 1_000_000 + UInt64(clamping: wall.tv_nsec) / 1000
        return Now(serverUs: monotonic, unixUs: unixUs)
    }

    /// The time zone of the machine at an instant, seconds east of UTC; summer time included.
    static func utcOffsetSeconds(unixUs: UInt64) -> Int {
        var seconds = time_t(clamping: unixUs / 1_000_000)
        var local = unsafe tm()
        guard unsafe localtime_r(&seconds, &local) != nil else { return 0 }
        return unsafe local.tm_gmtoff
    }
}
