import ArgumentParser
import ControlAPI

struct ClaimCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "claim", abstract: "Send files that were dropped while signed out, as the signed-in account.",
        discussion: """
            Homing does not know which account these files belong to, so it sets them aside in the folder ‘unclaimed’ of the drop folder. \
            Claim them only if they belong to the signed-in account. If only some do, move the others away first.

            Asks for confirmation; without a terminal, --yes is required. This cannot be undone.
            """)

    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
    @OptionGroup var global: GlobalOptions

    func run(_ context: Context) async throws {
        if !yes { try await confirm(context) }
        let report = try await context.client.call(Endpoints.claim, NoInput())
        var pause: String?
        // `try?`: the claim has succeeded; the status only adds a note.
        if !context.asJSON, let status = try? await context.client.call(Endpoints.status, NoInput()) {
            pause = PauseReportText.present(at: report.backend, status)
        }
        context.answer(report, ClaimText.claimed(report, pause: pause))
    }

    /// Without files to claim, the answer comes at once.
    private func confirm(_ context: Context) async throws {
        let status = try await context.client.call(Endpoints.status, NoInput())
        let confirmation = Confirmation(console: context.console, skipped: false)
        guard let notice = ClaimText.notice(status), try confirmation.isNeeded else { return }
        try confirmation.ask(ClaimText.before(notice, status), "Type the word ‘claim’ to continue: ") { $0 == "claim" }
        // The person confirmed this account and these files; both may have changed meanwhile.
        let now = try await context.client.call(Endpoints.status, NoInput())
        guard ClaimText.notice(now) == notice else {
            context.console.warn("The files or the account have changed. Nothing was done. To see them, run: homing claim")
            throw ExitCode.failure
        }
    }
}
