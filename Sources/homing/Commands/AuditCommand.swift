import ArgumentParser
import ControlAPI
import Foundation

struct AuditCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "List who signed in and out, and what people did: discards, fixes, retries, exports.",
        discussion: """
            The list begins with the oldest, and names the user of this computer. It reaches back as far as Homing keeps events, 30 \
            days unless the configuration says otherwise.

            Kinds: \(AuditKind.allCases.map(\.rawValue).joined(separator: ", ")).
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Begin this long ago, such as 30d or 12h, or at this time, such as 2025-03-11; the default is 30d.", valueName: "time"),
        transform: PeriodBegin.parse)
    var since: PeriodBegin?
    @Option(
        help: ArgumentHelp("Only this kind, such as sign-out.", valueName: "kind"),
        completion: .list(AuditKind.allCases.map(\.rawValue)))
    var kind: String?
    @Option(help: ArgumentHelp("Only the account with this id, as in ‘homing stats --json’.", valueName: "id")) var account: String?
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if let kind, AuditKind(rawValue: kind) == nil {
            let known = AuditKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--kind is ‘\(kind)’; expected one of \(known).")
        }
        if account?.isEmpty == true { throw ValidationError("--account is empty; expected the id of an account.") }
    }

    func run(_ context: Context) async throws {
        let since = try since?.date(context.times) ?? PeriodBegin.standard(context.times)
        var query = AuditQuery(since: since, kind: kind, account: account, backend: target.backend)
        var page = try await context.client.call(Endpoints.audit, query)
        while let next = page.next {
            query.after = next
            let following = try await context.client.call(Endpoints.audit, query)
            page.records += following.records
            page.next = following.next
        }
        let text = AuditText(style: context.console.style, times: context.times, width: context.console.width)
        context.answer(page, text.table(page, query))
    }
}
