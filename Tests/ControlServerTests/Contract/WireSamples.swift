import ControlAPI
import Foundation
import Testing

/// Each wire type with all optional values, and with none.
enum WireSamples {
    private static let day = Date(timeIntervalSince1970: 1_765_000_000)
    static let id = "00000000-0000-7000-8000-000000000001"

    struct Pair: Sendable {
        let full: any Codable & Sendable
        let bare: any Codable & Sendable
    }

    /// The response with all optional values.
    static func full<Sample>(_ type: Sample.Type) throws -> Sample { try #require(all["\(type)"]?.full as? Sample) }

    /// The samples by schema name.
    static let all: [String: Pair] = [
        "Problem": Pair(
            full: problem,
            bare: Problem(.notFound, status: 404, title: "t", detail: "d")),
        "SignIn": Pair(
            full: SignIn(backend: "b", email: "e", password: "p", refreshToken: "r", token: "t", remember: true), bare: bareSignIn),
        "Status": Pair(
            full: Status(
                sentence: "s", attention: [attention], backends: [backend], spool: spool, version: "1", startedAt: day, cursor: 1),
            bare: Status(sentence: "s", attention: [], backends: [], spool: nil, version: "1", startedAt: day, cursor: 1)),
        "Attention": Pair(full: attention, bare: Attention(code: "dead", text: "t", next: "n")),
        "DoctorReport": Pair(full: DoctorReport(findings: [finding], settings: settings), bare: DoctorReport(findings: [])),
        "SettingsReport": Pair(full: settings, bare: SettingsReport()),
        "ProfileReport": Pair(full: ProfileReport(), bare: ProfileReport()),
        "Finding": Pair(full: finding, bare: Finding(check: "clock", state: "ok", finding: "f")),
        "BackendReport": Pair(
            full: backend,
            bare: BackendReport(
                name: "b", baseURL: "u", gate: "open", gateReason: nil, session: bareSession, queue: QueueReport(), oldestWaiting: nil,
                lastDelivered: nil, nextTry: nil, otherAccounts: [])),
        "CoolingRoute": Pair(full: cooling, bare: bareCooling),
        "QueueReport": Pair(full: QueueReport(), bare: QueueReport()),
        "WaitingAccount": Pair(full: account, bare: WaitingAccount(account: "1", email: "e", waiting: 1)),
        "SpoolReport": Pair(full: spool, bare: SpoolReport(directory: "d", waiting: 0, refused: 0)),
        "StuckFile": Pair(full: stuck, bare: bareStuck),
        "SessionReport": Pair(full: session, bare: bareSession),
        "SessionList": Pair(full: SessionList(sessions: [session]), bare: SessionList(sessions: [])),
        "SignOutReport": Pair(
            full: SignOutReport(
                backend: "b", local: "cleared", server: "failed", serverReason: "r", email: "e", waiting: 1, discarded: 2, dataKept: true,
                owedUntil: day),
            bare: SignOutReport(backend: "b", local: "cleared", server: "ended", waiting: 0)),
        "OwedSignOutReport": Pair(full: owed, bare: OwedSignOutReport(account: "1", until: day, sentence: "s")),
        "ClaimReport": Pair(
            full: ClaimReport(files: 1, backend: "b", account: "1", email: "e"), bare: ClaimReport(files: 0, backend: "b", account: "1")),
        "RefusedFileList": Pair(full: RefusedFileList(files: [refused], next: "n"), bare: RefusedFileList(files: [], next: nil)),
        "RefusedFile": Pair(full: refused, bare: refused),
        "DiscardedFile": Pair(full: DiscardedFile(name: "n"), bare: DiscardedFile(name: "n")),
        "SubjectReport": Pair(full: subject, bare: SubjectReport(resource: "r", field: "f", id: "5")),
        "SubmissionReceipt": Pair(full: receipt, bare: bareReceipt),
        "EntrySummary": Pair(full: entry, bare: bareEntry),
        "ExportedEntry": Pair(
            full: ExportedEntry(entry: entry, fields: ["user_id": "5"], payload: "{\"a\": 1.50,\r\n\t\"n\": \"ü\"}"),
            bare: ExportedEntry(entry: bareEntry, fields: [:], payload: nil)),
        "EntryPage": Pair(
            full: EntryPage(entries: [entry], next: 1, total: 10_000, totalIsLeast: true), bare: EntryPage(entries: [], next: nil)),
        "AttemptSummary": Pair(
            full: attempt,
            bare: AttemptSummary(startedAt: day, endedAt: day, verdict: "accepted", counted: true, status: nil, message: nil)),
        "EntryDetail": Pair(
            full: EntryDetail(
                entry: entry, attempts: [attempt], fields: ["user_id": "5"], behind: id, altered: "/a"),
            bare: EntryDetail(entry: bareEntry, attempts: [])),
        "Explanation": Pair(
            full: explanation,
            bare: Explanation(id: id, state: "dead", sentence: "s", next: nil, needsPerson: false)),
        "SentenceFacts": Pair(full: facts, bare: SentenceFacts()),
        "SyncReport": Pair(
            full: SyncReport(waiting: 1, cursor: 2, obstacle: "o", others: 1), bare: SyncReport(waiting: 1, cursor: 2, obstacle: nil)),
        "PauseRequest": Pair(full: PauseRequest(backend: "b", reason: "r", until: day), bare: PauseRequest()),
        "PauseReport": Pair(full: pause, bare: PauseReport(backend: "b", reason: "", since: day, until: nil, by: "ann")),
        "PauseList": Pair(full: PauseList(pauses: [pause], inflight: 1), bare: PauseList(pauses: [], inflight: 0)),
        "ReceiptReport": Pair(full: proof, bare: bareProof),
        "ReceiptPage": Pair(full: ReceiptPage(receipts: [proof], next: 1), bare: ReceiptPage(receipts: [], next: nil)),
        "StatsReport": Pair(
            full: StatsReport(
                since: day, until: day, accounts: [figures], backends: [outages], days: [DayStats(day: "2025-12-06")],
                hours: [HourStats(hour: day, longestWait: 1)]),
            bare: StatsReport(since: day, until: day, accounts: [], backends: [], days: [])),
        "AccountStats": Pair(full: figures, bare: AccountStats(backend: "b", account: "1")),
        "BackendStats": Pair(full: outages, bare: BackendStats(backend: "b")),
        "DayStats": Pair(full: DayStats(day: "2025-12-06"), bare: DayStats(day: "2025-12-06")),
        "HourStats": Pair(full: HourStats(hour: day, captured: 2, delivered: 1, longestWait: 3), bare: HourStats(hour: day)),
        "AuditRecord": Pair(full: act, bare: AuditRecord(cursor: 1, at: day, kind: "claim", event: "claimed")),
        "AuditPage": Pair(full: AuditPage(records: [act], next: 1, keptSince: day), bare: AuditPage(records: [])),
        "LaneReport": Pair(
            full: lane,
            bare: LaneReport(
                backend: "b", account: "1", email: nil, lane: "l", head: id, state: "dead", capturedAt: day, dueAt: nil, waiting: 1)),
        "KeyRotation": Pair(full: KeyRotation(newKey: "k"), bare: KeyRotation()),
        "KeyCopy": Pair(full: KeyCopy(key: "a2V5\n"), bare: KeyCopy(key: "a2V5\n")),
        "KeyReport": Pair(
            full: KeyReport(
                path: "p", isCredential: false, fingerprint: "f", madeAt: day, isPending: false, isResealing: true, left: 3),
            bare: KeyReport(path: "p", isCredential: true, fingerprint: "f", madeAt: day, isPending: false, isResealing: false)),
        "LaneList": Pair(full: LaneList(lanes: [lane]), bare: LaneList(lanes: [])),
        "BackendList": Pair(full: BackendList(backends: [described]), bare: BackendList(backends: [])),
        "BackendSummary": Pair(full: described, bare: BackendSummary(name: "b", routes: [])),
        "RouteSummary": Pair(full: route, bare: RouteSummary(name: "r", fields: [], takesPayload: false)),
        "FieldSummary": Pair(full: field, bare: FieldSummary(name: "f", type: "text")),
        "RosterTitle": Pair(full: kind, bare: title),
        "RosterSummary": Pair(full: summary, bare: RosterSummary(resource: "r", title: title, state: "unread")),
        "RosterReport": Pair(full: roster, bare: bareRoster),
        "FieldReference": Pair(full: reference, bare: reference),
        "RosterList": Pair(full: RosterList(rosters: [roster]), bare: RosterList(rosters: [])),
        "RosterRow": Pair(full: row, bare: bareRow), "RosterActions": Pair(full: actions, bare: RosterActions()),
        "RosterPage": Pair(
            full: RosterPage(roster: roster, rows: [row], matching: 2, next: "7"),
            bare: RosterPage(roster: bareRoster, rows: [], matching: 0, next: nil)),
        "Event": Pair(
            full: event,
            bare: Event(cursor: 1, at: day, kind: "started", backend: nil, account: nil, entry: nil, detail: [:])),
    ]

    /// A request with all parameters for each operation.
    static let requests: [String: any WireRequest] = [
        "status": NoInput(), "doctor": NoInput(), "sessions": NoInput(), "signIn": SignIn(email: "e", password: "p"),
        "signOut": SignOut(backend: "b", account: "1", allDevices: true, force: true, keepData: true),
        "submit": Submission(
            backend: "b", route: "r", id: id, supersedes: id, fields: ["user_id": "5"], payload: Data("{}".utf8), capturedAt: day,
            strict: true),
        "entries": EntryQuery(state: "dead", backend: "b", user: "5", route: "r", since: day, until: day, after: 1, limit: 5),
        "entry": EntryReference(id: id), "backends": NoInput(),
        "why": EntryReference(id: id), "retry": RetryRequest(id: id, withoutLooking: true), "claim": NoInput(),
        "refusedFiles": RefusedFileQuery(after: "n", limit: 5), "discardFile": FileDiscardRequest(name: "n", reason: "r", version: "v"),
        "discard": DiscardRequest(id: id, grace: 600, reason: "r"), "restore": EntryReference(id: id), "export": EntryReference(id: id),
        "fix": FixRequest(id: id, newID: id, fields: ["user_id": "7"], strict: true),
        "resolve": ResolveRequest(id: id, remoteID: "17", delivered: true),
        "backup": NoInput(), "key": NoInput(), "rotateKey": KeyRotation(newKey: "k"), "copyKey": NoInput(),
        "sync": SyncRequest(backend: "b"),
        "events": EventQuery(since: 1, follow: true, backend: "b"), "openapi": NoInput(),
        "pause": PauseRequest(backend: "b", reason: "r", until: day), "resume": ResumeRequest(backend: "b"),
        "receipts": ReceiptQuery(after: 1, limit: 5, backend: "b", since: day), "receipt": EntryReference(id: id),
        "stats": StatsQuery(since: day, until: day, backend: "b"),
        "audit": AuditQuery(since: day, kind: "sign-out", account: "1", backend: "b", after: 1, limit: 5),
        "lanes": LaneQuery(limit: 5), "rosters": RosterListQuery(backend: "b"),
        "roster": RosterQuery(resource: "r", backend: "b", find: "f", label: "l", ids: ["1", "2"], after: "7", limit: 5),
        "refreshRoster": RosterReference(resource: "r", backend: "b"),
    ]

    private static let refused = RefusedFile(name: "n", version: "v")

    private static let subject: SubjectReport = {
        var subject = SubjectReport(resource: "r", field: "f", id: "5", label: "Anna Example", reference: "@\(id)", isNew: false)
        subject.title = "person"
        return subject
    }()
    private static let figures: AccountStats = {
        var figures = AccountStats(backend: "b", account: "1", email: "e")
        (figures.medianDelay, figures.p95Delay, figures.refused) = (1, 2, ["refused": 1])
        return figures
    }()
    private static let outages: BackendStats = {
        var outages = BackendStats(backend: "b")
        outages.outageSince = day
        return outages
    }()
    private static let act: AuditRecord = {
        var act = AuditRecord(cursor: 1, at: day, kind: "sign-out", event: "signedOut", detail: ["by": "uid 1, pid 2"])
        (act.backend, act.account, act.email, act.entry, act.uid, act.user) = ("b", "1", "e", id, 1, "ann")
        return act
    }()
    private static let reference = FieldReference(route: "r", field: "f", type: "integer")
    private static let event: Event = {
        var event = Event(
            cursor: 1, at: day, kind: "captured", backend: "b", account: "1", entry: id, detail: ["by": "uid 1, pid 2"])
        (event.subject, event.title) = (subject, title)
        return event
    }()
    private static let settings: SettingsReport = {
        var settings = SettingsReport()
        settings.backends = [ProfileReport()]
        return settings
    }()
    private static let finding = Finding(check: "clock", state: "warning", finding: "f", remedy: "r", backend: "b")
    private static let attention: Attention = {
        var attention = Attention(code: "dead", text: "t", next: "n", backend: "b")
        attention.facts = facts
        return attention
    }()
    private static let explanation: Explanation = {
        var explanation = Explanation(
            id: id, state: "dead", subject: subject, sentence: "s", next: "n", needsPerson: true, changes: ["retry"])
        (explanation.cause, explanation.facts) = ("refused", facts)
        return explanation
    }()
    private static let facts: SentenceFacts = {
        var facts = SentenceFacts()
        (facts.account, facts.person, facts.entry, facts.name, facts.address, facts.path) = ("e", "ann", id, "n", "a", "p")
        (facts.count, facts.limit, facts.later, facts.dependents, facts.least, facts.bytes) = (1, 2, 3, 4, true, 5)
        (facts.at, facts.since, facts.until, facts.wait) = (day, day, day, 300)
        (facts.status, facts.reason, facts.words) = (503, "offline", "w")
        (facts.title, facts.subject) = (kind, SubjectReport(resource: "r", field: "f", id: "5"))
        return facts
    }()
    private static let account = WaitingAccount(account: "1", email: "e", waiting: 1, signInCommand: "c")
    private static let bareStuck = SpoolReport.StuckFile(path: "p", reason: "r", next: "n")
    private static let stuck = SpoolReport.StuckFile(path: "p", reason: "r", next: "n", cause: "linked")
    private static let spool: SpoolReport = {
        var report = SpoolReport(
            directory: "d", waiting: 1, refused: 1, stuck: 1, stuckExample: stuck, unclaimed: 1, refusedFiles: ["a.json"])
        (report.refusedPlaces, report.firstUnclaimed) = (["a.json": "users/5/a.json"], "users/5/b.json")
        return report
    }()
    private static var session: SessionReport {
        var session = SessionReport(
            backend: "b", state: "signInRequired", account: "1", email: "e", since: day, remembered: true, reason: "r", signInBy: "token")
        (session.failure, session.failingSince) = ("f", day)
        return session
    }
    private static let bareSession = SessionReport(backend: "b", state: "signedOut")
    private static let backend: BackendReport = {
        var report = BackendReport(
            name: "b", baseURL: "u", gate: "cooling", gateReason: "r", session: session, queue: QueueReport(), oldestWaiting: day,
            oldestWaitingID: id, lastDelivered: day, nextTry: day, otherAccounts: [account], formerAddress: "https://old:443",
            waitingForFormerAddress: 1, pause: pause, gateCause: "offline", signInCommand: "c", sentence: "s", discardedBySigningOut: 1,
            coolingRoutes: [cooling])
        (report.rosters, report.owedSignOuts, report.connectedAt) = ([summary], [owed], report.lastDelivered)
        return report
    }()
    private static let described = BackendSummary(name: "b", routes: [route])
    private static let route: RouteSummary = {
        var route = RouteSummary(name: "r", fields: [field], takesPayload: true)
        (route.creates, route.changes, route.then, route.form) = ("l", "l", "s", ["m"])
        (route.deletes, route.confirm) = ("l", true)
        return route
    }()
    private static let field = FieldSummary(name: "f", type: "integer", reference: "l")
    private static let title = RosterTitle(one: "person", many: "people")
    private static let kind = RosterTitle(one: "new person", many: "new people", kind: .new, word: "person")
    private static let summary: RosterSummary = {
        var summary = RosterSummary(resource: "r", title: title, state: "complete", count: 1, readAt: day)
        (summary.staleSince, summary.failure, summary.failureCause, summary.failingSince) = (day, "f", "offline", day)
        return summary
    }()
    private static let roster: RosterReport = {
        var report = bareRoster
        (report.state, report.reason, report.account, report.email) = ("incomplete", "rows", "1", "e")
        (report.count, report.total, report.readAt, report.failure, report.failingSince) = (1, 2, day, "f", day)
        (report.failureCause, report.paused, report.nextTry) = ("offline", true, day)
        (report.new, report.created, report.deleted) = (1, 2, 3)
        (report.references, report.actions) = ([reference], actions)
        return report
    }()
    private static let bareRoster = RosterReport(backend: "b", resource: "r", title: title, state: "unread", sentence: "s")
    private static let bareRow = RosterRow(id: "28", label: "Anna Example", values: ["/id": "23"])
    private static let row = RosterRow(id: "@\(id)", label: "Anna Example", values: [:], pending: "new", deletion: id)
    private static let actions = RosterActions(add: "a", change: "c", delete: "d", confirm: true, form: ["first_name"], fields: ["name"])
    private static let owed = OwedSignOutReport(account: "1", email: "e", until: day, sentence: "s")
    private static let bareCooling = CoolingRoute(route: "r", since: day, until: day, reason: "s")
    private static let cooling: CoolingRoute = {
        var cooling = bareCooling
        (cooling.title, cooling.entry) = (title, id)
        return cooling
    }()
    private static let pause = PauseReport(backend: "b", reason: "r", since: day, until: day, by: "ann")
    private static let lane: LaneReport = {
        var lane = LaneReport(
            backend: "b", account: "1", email: "e", lane: "l", head: id, state: "pending", capturedAt: day, dueAt: day, waiting: 1)
        lane.subject = subject
        return lane
    }()
    private static let proof: ReceiptReport = {
        var proof = ReceiptReport(
            sequence: 1, id: id, outcome: "discarded", capturedAt: day, settledAt: day, backend: "b", account: "1", email: "e", lane: "l",
            route: "r", remoteID: "9", status: 201, foundByLookup: true, attempts: 1, size: 1, discardedBy: "ann", altered: "/a",
            unverified: true)
        (proof.subject, proof.supersededBy, proof.resolvedBy, proof.title) = (subject, id, "ann", title)
        return proof
    }()
    private static let bareProof = ReceiptReport(
        sequence: 1, id: id, outcome: "delivered", capturedAt: day, settledAt: day, backend: "b", account: "1", email: nil, lane: "l",
        route: "r", remoteID: nil, status: nil, foundByLookup: false, attempts: 0, size: 1, discardedBy: nil)
    private static let problem: Problem = {
        var problem = Problem(.eventsPruned, status: 410, title: "t", detail: "d", next: "n", oldest: 1).stating { $0 = facts }
        (problem.newest, problem.supersededBy) = (1, id)
        return problem
    }()
    private static let receipt: SubmissionReceipt = {
        var receipt = SubmissionReceipt(
            id: id, sequence: 1, duplicate: false, backend: "b", account: "1", lane: "l", sha256: "ab")
        (receipt.subject, receipt.warning, receipt.then) = (subject, "w", id)
        return receipt
    }()
    private static let bareReceipt = SubmissionReceipt(id: id, sequence: 1, duplicate: false, backend: "b", account: "1", lane: "l")
    private static let attempt = AttemptSummary(
        startedAt: day, endedAt: day, verdict: "transient", counted: true, status: 500, message: "m")
    private static let entry: EntrySummary = {
        var entry = bareEntry
        (entry.state, entry.holdReason, entry.dueAt, entry.settledAt) = ("held", "crashes", day, day)
        (entry.behind, entry.paused, entry.needs) = (id, true, id)
        (entry.attempts, entry.releases, entry.uncertain, entry.size) = (1, 1, true, 1)
        (entry.remoteID, entry.lastStatus, entry.lastError, entry.subject) = ("9", 500, "e", subject)
        (entry.discardAt, entry.supersededBy, entry.then, entry.title, entry.retryMayDuplicate) = (day, id, id, title, true)
        entry.overwrites = id
        return entry
    }()
    private static let bareEntry = EntrySummary(
        sequence: 1, id: id, backend: "b", account: "1", route: "r", lane: "l", state: "pending", capturedAt: day)
    private static var bareSignIn: SignIn {
        var signIn = SignIn()
        signIn.remember = nil
        return signIn
    }
}
