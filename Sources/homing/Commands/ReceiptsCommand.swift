import ArgumentParser
import ControlAPI
import Foundation

struct ReceiptsCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipts", abstract: "List the receipts of delivered and discarded entries: when, and under which account.",
        discussion: """
            Homing keeps receipts for years, long after the entries themselves. With --csv, prints all receipts, or at most --limit, as \
            a table for a spreadsheet (RFC 4180). A cell that begins with =, +, - or @ gets a leading apostrophe, so that no \
            spreadsheet runs it as a formula.
            """)

    @Option(help: ArgumentHelp("Only receipts of entries with a number greater than this.", valueName: "number")) var after: Int64 = 0
    @Option(help: ArgumentHelp("The maximum number of receipts; the default is 100, or all with --csv.", valueName: "number"))
    var limit: Int?
    @Option(
        help: ArgumentHelp("Only entries delivered or discarded at this time or later, such as 2025-03-11.", valueName: "time"),
        transform: PointInTime.parse)
    var since: PointInTime?
    @Flag(help: "Print CSV.") var csv = false
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if after < 0 { throw ValidationError("--after is \(after); expected an entry's number.") }
        if let limit, limit < 1 { throw ValidationError("--limit is \(limit); expected 1 or more.") }
        if let limit, !csv, limit > 500 {
            throw ValidationError("--limit is \(limit); expected a number from 1 to 500. For more, add --csv.")
        }
        if csv && global.json { throw ValidationError("Give either --csv or --json, not both.") }
    }

    func run(_ context: Context) async throws {
        let times = context.times
        let since = try since?.date(before: times.now, in: times.timeZone)
        var query = ReceiptQuery(after: after, limit: min(limit ?? (csv ? 500 : 100), 500), backend: target.backend, since: since)
        var page = try await context.client.call(Endpoints.receipts, query)
        guard csv else {
            let text = ReceiptText(style: context.console.style, times: times, width: context.console.width)
            return context.answer(page, text.table(page))
        }
        context.console.writeRaw(ReceiptCSV.heading)
        var left = limit ?? .max
        while true {
            context.console.writeRaw(page.receipts.prefix(left).map(ReceiptCSV.line).joined())
            left -= page.receipts.count
            guard let next = page.next, left > 0 else { return }
            query.after = next
            page = try await context.client.call(Endpoints.receipts, query)
        }
    }
}
