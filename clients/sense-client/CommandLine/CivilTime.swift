import SenseClientKit

/// Times of people: UTC dates in and out, and "so long ago".
enum CivilTime {
    /// `2026-11-30 19:42:05Z`.
    static func text(unixUs: UInt64) -> String {
        let seconds = Int64(clamping: unixUs / 1_000_000)
        let (year, month, day) = date(daysSince1970: seconds / 86_400)
        let time = seconds % 86_400
        func two(_ value: Int64) -> String { (value < 10 ? "0" : "") + String(value) }
        return
            "\(year)-\(two(month))-\(two(day)) \(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60))Z"
    }

    /// Reads `30m`, `2h`, `7d` (ago), seconds since 1970, or a UTC date `2026-11-30` with `T19:42` behind it or not.
    static func unixUs(_ text: String, nowUnixUs: UInt64, option: String) throws(UsageError) -> UInt64 {
        let failure = UsageError(
            message:
                "\(option) takes 30m, 2h, 7d (ago), seconds since 1970 or a UTC date 2026-11-30[T19:42], not \(text)"
        )
        if let unit = ["s": 1, "m": 60, "h": 3600, "d": 86_400][text.suffix(1)] {
            guard let count = UInt64(text.dropLast()), count <= 1_000_000 else { throw failure }
            let ago = count * UInt64(unit) * 1_000_000
            return nowUnixUs > ago ? nowUnixUs - ago : 0
        }
        if let seconds = UInt64(text) {
            guard seconds < 1 << 40 else { throw failure }
            return seconds * 1_000_000
        }
        let parts = text.split(separator: "T", maxSplits: 1)
        let dates = parts.first?.split(separator: "-").compactMap { Int64($0) } ?? []
        guard dates.count == 3, (1970...2200).contains(dates[0]), (1...12).contains(dates[1]),
            (1...31).contains(dates[2])
        else { throw failure }
        var seconds = days(dates[0], dates[1], dates[2]) * 86_400
        if parts.count == 2 {
            let times = parts[1].split(separator: ":").compactMap { Int64($0) }
            guard (1...3).contains(times.count), (0...23).contains(times[0]),
                times.dropFirst().allSatisfy({ (0...59).contains($0) })
            else { throw failure }
            for (time, unit) in zip(times, [3600, 60, 1] as [Int64]) { seconds += time * unit }
        }
        return UInt64(seconds) * 1_000_000
    }

    /// The Gregorian calendar by whole eras of 400 years that begin in March, so that a leap day is the last of a year.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(daysSince1970 days: Int64) -> (Int64, Int64, Int64) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}
