import ArgumentParser
import ControlAPI

struct LogoutCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Sign out. Your waiting entries stay on this station until you sign in again.",
        discussion: """
            If a backend's profile says ‘outbox: drop’ and an administrator signs an account out, Homing discards the entries of the \
            account that are not delivered. Without --yes, the command says how many and asks first. If anyone else signs out there, \
            the entries stay.

            Signing out deletes the lists that Homing has read, such as your people. With --keep-data, they stay on this station, and \
            are shown when you sign in again.

            If the server cannot be reached and the backend’s profile says ‘owed: retry’, Homing repeats the call for up to a day. \
            ‘homing status’ says so. Signing in again ends that. The repeated call signs out this device only.

            With --all-devices, exits with 1 unless the server confirms that it ended the sessions. You are then signed out on this \
            station, but other devices may still be signed in.
            """)

    @Flag(help: "End the account's sessions on all devices, if the backend supports it.") var allDevices = false
    @Flag(help: "Sign out even if the profile forbids it while entries are waiting; the entries stay.") var force = false
    @Flag(help: "Keep the lists that Homing has read, such as your people, until you sign in again.") var keepData = false
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func run(_ context: Context) async throws {
        let report = try await context.client.call(Endpoints.status, NoInput()).backend(named: target.backend)
        let confirmation = Confirmation(console: context.console, skipped: yes)
        var request = SignOut(backend: report.name, allDevices: allDevices, force: force, keepData: keepData)
        if try confirmation.isNeeded && report.session.knownState != .signedOut {
            let explanation = SessionText.beforeSigningOut(report)
            if report.discardedBySigningOut ?? 0 > 0 {
                try confirmation.ask(explanation, "Type the word ‘discard’ to continue: ") { $0 == "discard" }
            } else {
                try confirmation.ask(explanation, "Sign out? [y/N] ") { ["y", "yes"].contains($0.lowercased()) }
            }
            // The person confirmed this account; another may have signed in meanwhile.
            request.account = report.session.account
        }
        let outcome = try await context.client.call(Endpoints.signOut, request)
        let again = allDevices ? "homing logout\(target.backend.map { " --backend \($0)" } ?? "") --all-devices" : nil
        context.answer(
            outcome,
            SessionText.signedOut(
                outcome, login: SyncText.signInCommand(report), allDevices: again, lists: report.rosters ?? [], times: context.times))
        if allDevices, SessionText.leavesOtherDevices(outcome) { throw ExitCode.failure }
    }
}
