import ArgumentParser
import ControlAPI
import Foundation

struct StatsCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Show figures over time: captures, deliveries, refusals, delays, outages and sign-ins.",
        discussion: """
            Counts whole days in UTC, so 12h means today. Homing keeps figures for 400 days before today. The times from capture to \
            delivery are within 5 % of the true ones. An entry counts as discarded once ‘homing undo’ can no longer bring it back. \
            With --json, there are figures for each day too, and for the last 48 hours.
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Begin this long ago, such as 30d or 12w, or at this time, such as 2025-03-11; the default is 30d.", valueName: "time"),
        transform: PeriodBegin.parse)
    var since: PeriodBegin?
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func run(_ context: Context) async throws {
        let since = try since?.firstDay(context.times)
        let report = try await context.client.call(Endpoints.stats, StatsQuery(since: since, backend: target.backend))
        let text = StatsText(style: context.console.style, times: context.times, width: context.console.width)
        context.answer(report, text.text(report, since: since))
    }
}
