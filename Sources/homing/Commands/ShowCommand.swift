import ArgumentParser
import ControlAPI
import SyncModel

struct ShowCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one entry and each attempt to send it. Does not show the payload.")

    @OptionGroup var entry: EntryArgument
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func run(_ context: Context) async throws {
        let detail = try await context.client.call(Endpoints.entry, EntryReference(id: entry.id))
        try target.require(detail.entry.id, of: detail.entry.backend)
        context.answer(detail, EntryText(style: context.console.style, times: context.times).detail(detail))
    }
}

struct EntryArgument: ParsableArguments {
    @Argument(
        help: "The entry's number, its id, or at least 4 characters from the beginning or end of the id.", completion: Suggestions.entries)
    var id: String

    func validate() throws {
        try Self.check(id)
    }

    static func check(_ name: String) throws {
        guard EntryName(name) == nil else { return }
        throw ValidationError(
            "‘\(name)’ is not an entry number or id. Give an entry's number, its id, or at least 4 characters from the beginning or end of the id. To find it, run: homing list"
        )
    }
}
