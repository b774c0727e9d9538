import ArgumentParser
import ControlAPI

struct ShowCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one entry and each attempt to send it. Does not show the payload.")

    @OptionGroup var entry: EntryArgument
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func run(_ context: Context) async throws {
        let detail = try await context.client.call(Endpoints.entry, EntryReference(id: entry.id))
        try target.require(detail.entry.id, of: detail.entry.backend)
        context.answer(detail, EntryText(style: context.console.style, times: context.times, width: context.console.width).detail(detail))
    }
}
