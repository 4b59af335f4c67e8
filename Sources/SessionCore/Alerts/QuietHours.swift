/// A daily span of local time; over midnight where it ends before it begins.
public struct QuietHours: Sendable, Equatable {
    /// Minutes since midnight, 0…1439.
    public var start: Int
    /// The first minute after it, 0…1439.
    public var end: Int

    /// Reads "22:00-07:00"; nil if it is not of that form, or is empty or the whole day.
    public init?(_ text: String) {
        let times = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
        guard times.count == 2, let start = times[0], let end = times[1], start != end else { return nil }
        self.start = start
        self.end = end
    }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isASCIIDigit) }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    /// Whether the span holds at a local time.
    public func contains(_ time: LocalTime) -> Bool {
        let minute = time.minuteOfDay
        return start < end ? (start..<end).contains(minute) : minute >= start || minute < end
    }

    /// Seconds from a time inside the span to its end.
    public func secondsLeft(at time: LocalTime) -> Int {
        let left = end * 60 - time.secondOfDay
        return left > 0 ? left : left + 86_400
    }
}

/// A moment on the wall clock of the house.
public struct LocalTime: Sendable, Equatable {
    /// Days since 1970-01-01, local.
    public var day: Int64
    /// 0…86,399.
    public var secondOfDay: Int

    /// Reads the wall clock, `utcOffsetSeconds` east of UTC.
    public init(unixUs: UInt64, utcOffsetSeconds: Int) {
        let seconds = Int64(clamping: unixUs / 1_000_000) + Int64(utcOffsetSeconds)
        day = seconds >= 0 ? seconds / 86_400 : -1
        secondOfDay = Int(seconds >= 0 ? seconds % 86_400 : 0)
    }

    /// 0…1439.
    public var minuteOfDay: Int { secondOfDay / 60 }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
