import SenseClientKit
import SenseProtocol

/// `history`: past alerts, newest first.
enum HistoryCommand: Subcommand {
    static let spec = CommandSpec(
        name: "history", summary: "list past alerts, newest first, and how often they were wrong",
        options: [
            OptionSpec("--label", "LABEL", "such as smoke_alarm"),
            OptionSpec(
                "--from", "TIME", "30m, 2h or 7d ago, seconds since 1970, or a UTC date 2026-11-30[T19:42]"),
            OptionSpec("--to", "TIME", "as --from"),
            OptionSpec("--page-size", "N", "1…200 (default 50)"),
            OptionSpec("--page", "TOKEN", "the page that an earlier answer named"),
            OptionSpec("--all", nil, "every page, not only the first"),
        ])

    static func run(_ context: CommandContext) async throws -> ExitCode {
        let arguments = context.arguments
        let pageSize = try arguments.number("--page-size", in: 1...200) ?? 50
        let connected = try await Connector(context).connect()
        let now = connected.welcome.unixUs
        var query = HistoryQuery(
            queryId: 1, label: arguments.text("--label") ?? "",
            fromUnixUs: try arguments.text("--from").map { text throws(UsageError) in
                try CivilTime.unixUs(text, nowUnixUs: now, option: "--from")
            } ?? 0,
            toUnixUs: try arguments.text("--to").map { text throws(UsageError) in
                try CivilTime.unixUs(text, nowUnixUs: now, option: "--to")
            } ?? 0,
            pageSize: UInt32(pageSize), pageToken: arguments.text("--page") ?? "")
        query.rates = true
        var rates = RateTable(rates: [], days: 0)
        var count = 0
        repeat {
            let id = query.queryId
            let answer = try await connected.client.request(.historyQuery(query)) { body in
                if case .historyPage(let page) = body { page.queryId == id } else { false }
            }
            guard case .historyPage(let page) = answer else { break }
            for entry in page.entries {
                count += 1
                show(entry, context.console)
            }
            if query.rates { rates = RateTable(rates: page.rates, days: page.ratesDays) }
            query.rates = false
            query.pageToken = page.nextPageToken
            query.queryId += 1
        } while arguments.has("--all") && !query.pageToken.isEmpty && !context.interrupt.isWished
        await connected.client.leave()
        let more = query.pageToken.isEmpty ? "" : "; more with --page \(query.pageToken.printable)"
        context.console.tell(
            "summary",
            [
                "entries": .count(count), "next_page": .text(query.pageToken),
                "rates_days": .count(rates.days), "rates": rates.json,
            ],
            (["\(count) alerts\(more)"] + rates.lines(context.console.style)).joined(separator: "\n"))
        return .ok
    }

    private static func show(_ entry: HistoryEntry, _ console: Console) {
        guard let alert = entry.alert else { return }
        let receipts = entry.receipts.map { receipt in
            JSONValue.object([
                .init(key: "kind", value: .text(receipt.kind.word)),
                .init(key: "device_id", value: .text(receipt.deviceId)),
                .init(key: "unix_us", value: .unsigned(receipt.unixUs)),
                .init(key: "note", value: .text(receipt.note)),
            ])
        }
        let feedback = entry.feedback.map { word in
            JSONValue.object([
                .init(key: "correct", value: .flag(word.correct)),
                .init(key: "true_label", value: .text(word.trueLabel)),
                .init(key: "device_id", value: .text(word.deviceId)),
                .init(key: "unix_us", value: .unsigned(word.unixUs)),
            ])
        }
        let kinds = entry.receipts.map(\.kind.word).joined(separator: ", ")
        console.tell(
            "entry", alert.json([("receipts", .list(receipts)), ("feedback", .list(feedback))]),
            "\(CivilTime.text(unixUs: alert.startedUnixUs))  \(alert.line(console.style))"
                + (kinds.isEmpty ? "" : console.style.dim("\n    \(kinds)")))
    }
}
