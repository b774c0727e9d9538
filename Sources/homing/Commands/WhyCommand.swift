import ArgumentParser
import ControlAPI

struct WhyCommand: DaemonCommand {
    static let configuration = CommandConfiguration(commandName: "why", abstract: "Explain the state of an entry, and what to do next.")

    @OptionGroup var entry: EntryArgument
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func run(_ context: Context) async throws {
        for id in try await context.ids([entry.id], at: target) {
            let explanation = try await context.client.call(Endpoints.why, EntryReference(id: id))
            context.answer(explanation, EntryText.why(explanation))
        }
    }
}
