import ArgumentParser
import ControlAPI
import Foundation

struct ListCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the entries and the state of each.",
        discussion: """
            Shows the newest entries, and how many there are. With several filters, an entry must match all of them: ‘homing list \
            --user "Anna Example" --since 2025-03-11 --until 2025-03-12’ lists the captures for Anna Example on that day.
            """)

    @Option(help: "Only entries in this state.") var state: EntryState?
    @Option(
        parsing: .unconditional, help: ArgumentHelp("Only entries for this person, by id or name.", valueName: "person"),
        completion: Suggestions.people)
    var user: String?
    @Option(help: ArgumentHelp("Only entries of this route, such as measurement.", valueName: "name"), completion: Suggestions.routes)
    var route: String?
    @Option(
        help: ArgumentHelp("Only entries captured at this time or later, such as 2025-03-11 or 14:00.", valueName: "time"),
        transform: PointInTime.parse)
    var since: PointInTime?
    @Option(help: ArgumentHelp("Only entries captured before this time.", valueName: "time"), transform: PointInTime.parse)
    var until: PointInTime?
    @Option(help: ArgumentHelp("The maximum number of entries (1 to 500).", valueName: "number")) var limit = 100
    @Option(help: ArgumentHelp("Only entries with a number greater than this, oldest first.", valueName: "number")) var after: Int64?
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if !(1...500).contains(limit) { throw ValidationError("--limit is \(limit); expected a number from 1 to 500.") }
        if let after, after < 0 { throw ValidationError("--after is \(after); expected an entry's number.") }
        try SubjectArgument.validate(user: user)
        if route?.isEmpty == true { throw ValidationError("--route is empty; expected a name, as in --route measurement.") }
    }

    func run(_ context: Context) async throws {
        var query = EntryQuery(state: state?.rawValue, backend: target.backend, route: route, after: after, limit: limit)
        (query.since, query.until) = try span(context.times)
        if let user {
            let person = try await SubjectArgument.person(user, at: target.backend, for: "homing list", context.client)
            (query.user, query.backend) = (person.id, person.backend)
        }
        let page = try await context.client.call(Endpoints.entries, query)
        let text = EntryText(style: context.console.style, times: context.times, width: context.console.tableWidth)
        context.answer(page, text.table(page, query))
    }

    /// Throws if no time lies between the two.
    func span(_ times: TimeText) throws(Problem) -> (since: Date?, until: Date?) {
        let since = try since?.date(before: times.now, in: times.timeZone)
        let until = try until?.date(before: times.now, in: times.timeZone)
        if let since, let until, since >= until {
            throw .invalid("--until (\(times.clock(until))) is not later than --since (\(times.clock(since))).", next: "Give a later time.")
        }
        return (since, until)
    }
}
