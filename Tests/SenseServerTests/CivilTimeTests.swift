import Testing

@testable import SenseServer

@Suite("Times in the log")
struct CivilTimeTests {
    @Test(
        "days, leap days and centuries",
        arguments: [
            (UInt64(0), "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_210_096, "2024-02-29T12:34:56Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"), (1_796_063_876, "2026-11-30T18:37:56Z"),
        ])
    func iso(_ seconds: UInt64, _ text: String) {
        #expect(CivilTime.iso8601(unixUs: seconds * 1_000_000) == text)
    }
}
