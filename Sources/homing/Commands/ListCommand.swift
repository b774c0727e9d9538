import ArgumentParser
import ControlAPI

struct ListCommand: DaemonCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the entries and the state of each.")

    @Option(help: "Only entries in this state.") var state: EntryState?
    @Option(help: ArgumentHelp("The maximum number of entries (1 to 500).", valueName: "number")) var limit = 100
    @Option(help: ArgumentHelp("Only entries with a number greater than this.", valueName: "number")) var after: Int64?
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if !(1...500).contains(limit) { throw ValidationError("--limit is \(limit); expected a number from 1 to 500.") }
        if let after, after < 0 { throw ValidationError("--after is \(after); expected an entry's number.") }
    }

    func run(_ context: Context) async throws {
        let page = try await context.client.call(
            Endpoints.entries, EntryQuery(state: state?.rawValue, backend: target.backend, after: after, limit: limit))
        let text = EntryText(style: context.console.style, times: context.times, width: context.console.width)
        context.answer(page, text.table(page, state: state?.rawValue))
    }
}
