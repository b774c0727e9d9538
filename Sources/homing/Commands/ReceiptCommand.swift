import ArgumentParser
import ControlAPI

struct ReceiptCommand: DaemonCommand {
    static let configuration = CommandConfiguration(commandName: "receipt", abstract: "Show the receipt of one entry.")

    @OptionGroup var entry: EntryArgument
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func run(_ context: Context) async throws {
        let receipt = try await context.client.call(Endpoints.receipt, EntryReference(id: entry.id))
        try target.require(receipt.id, of: receipt.backend)
        let text = ReceiptText(style: context.console.style, times: context.times, width: context.console.width)
        context.answer(receipt, text.detail(receipt))
    }
}
