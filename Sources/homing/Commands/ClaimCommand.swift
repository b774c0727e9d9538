import ArgumentParser
import ControlAPI

struct ClaimCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "claim", abstract: "Send files that were dropped while signed out, as the signed-in account.",
        discussion: """
            Homing does not know which account these files belong to, so it sets them aside in the folder ‘unclaimed’ of the drop folder. \
            Claim them only if they belong to the signed-in account. If only some do, move the others away first.
            """)

    @OptionGroup var global: GlobalOptions

    func run(_ context: Context) async throws {
        let report = try await context.client.call(Endpoints.claim, NoInput())
        context.answer(report, ClaimText.claimed(report))
    }
}
