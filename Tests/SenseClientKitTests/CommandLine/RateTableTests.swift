import SenseProtocol
import Testing

@testable import sense_client

@Suite struct RateTableTests {
    private let table = RateTable(
        rates: [
            AlertRate(
                room: "hall", label: "dog", alerts: 12, right: 3, wrong: 4, heardS: 36_000, wrongPerHour: 0.4),
            AlertRate(label: "sire\u{1b}[2Jn", alerts: 1, wrong: 1, heardS: 3599, wrongPerHour: 9),
        ], days: 30)

    @Test func tellsARateOnlyWhereAnHourWasHeard() {
        let lines = table.lines(TerminalStyle(isOn: false))
        #expect(lines[1] == "Right and wrong in the last 30 days")
        #expect(lines[3] == "hall       dog            12      3      4         10.0           0.400")
        #expect(lines[4] == "(no room)  sire·[2Jn       1      0      1          1.0  too little heard")
        #expect(RateTable(rates: [], days: 30).lines(TerminalStyle(isOn: false)).isEmpty)
    }

    @Test func givesScriptsTheSame() {
        let text = JSONLine(["rates": table.json]).text
        #expect(text.contains(#""wrong":4,"heard_s":36000,"wrong_per_hour":0.4000}"#))
        #expect(text.contains(#""heard_s":3599,"wrong_per_hour":null}"#))
    }
}
