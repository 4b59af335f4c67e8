import SessionCore
import Testing

@testable import SenseServer

@Suite("Drills on the metrics page")
struct DrillMetricsTests {
    private let day: UInt64 = 86_400_000_000

    @Test("a room tells its last drill, that drill's age, and whether one is overdue")
    func rooms() {
        let book = DrillBook([
            DrillRoom(room: "attic", firstHeardUnixUs: 100 * day),
            DrillRoom(
                room: "hall", firstHeardUnixUs: 1 * day, lastPassedUnixUs: 90 * day,
                lastFailedUnixUs: 95 * day),
            DrillRoom(
                room: "kitchen", firstHeardUnixUs: 1 * day, lastPassedUnixUs: 20 * day,
                lastFailedUnixUs: 10 * day),
        ])
        let metrics = DrillMetrics([book], nowUnixUs: 110 * day)
        let expected: [String: DrillMetrics.Row] = [
            "attic": DrillMetrics.Row(isPassed: nil, ageSeconds: nil, isOverdue: false),
            "hall": DrillMetrics.Row(isPassed: false, ageSeconds: 15 * 86_400, isOverdue: false),
            "kitchen": DrillMetrics.Row(isPassed: true, ageSeconds: 90 * 86_400, isOverdue: true),
        ]
        #expect(metrics.rows == expected)
        let overdue = metrics.values { $0.isOverdue ? 1 : 0 }
        #expect(overdue.map(\.room) == ["attic", "hall", "kitchen"])
        #expect(metrics.values(\.ageSeconds).map(\.room) == ["hall", "kitchen"])
    }

    @Test("a room that two people have is one row; a clock that was set back gives no negative age")
    func shared() {
        let mine = DrillBook([DrillRoom(room: "hall", firstHeardUnixUs: 1, lastPassedUnixUs: 5 * day)])
        let yours = DrillBook([DrillRoom(room: "hall", firstHeardUnixUs: 1, lastFailedUnixUs: 40 * day)])
        let metrics = DrillMetrics([mine, yours], nowUnixUs: 39 * day)
        let expected = DrillMetrics.Row(isPassed: false, ageSeconds: 0, isOverdue: true)
        #expect(metrics.rows == ["hall": expected])
    }
}
