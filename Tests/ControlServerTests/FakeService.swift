import ControlAPI
import ControlServer
import Foundation
import Synchronization

final class FakeService: ControlService {
    struct Call: Equatable {
        var name: String
        var parameters: [String: String] = [:]
        var body: Data?
    }

    private let state = Mutex<(calls: [Call], callers: [Caller], denials: [String])>(([], [], []))
    let error: (any Error)?
    let isDuplicate: Bool
    let oldest: Int64
    private let laterParts: (@Sendable () throws -> [UInt8])?
    private let sent = Mutex(0)
    let stream: AsyncStream<[Event]>
    let continuation: AsyncStream<[Event]>.Continuation

    /// - Parameter laterParts: of a backup, after the first one.
    init(
        error: (any Error)? = nil, isDuplicate: Bool = false, oldest: Int64 = 0, laterParts: (@Sendable () throws -> [UInt8])? = nil
    ) {
        self.laterParts = laterParts
        self.oldest = oldest
        self.error = error
        self.isDuplicate = isDuplicate
        (stream, continuation) = AsyncStream.makeStream()
    }

    var calls: [Call] { state.withLock { $0.calls } }
    var denials: [String] { state.withLock { $0.denials } }
    var callers: [Caller] { state.withLock { $0.callers } }

    private func note(_ name: String, _ request: some WireRequest, _ caller: Caller) throws {
        state.withLock {
            $0.calls.append(Call(name: name, parameters: request.parameters, body: request.body))
            $0.callers.append(caller)
        }
        if let error { throw error }
    }

    static let day = Date(timeIntervalSince1970: 1_765_000_000.123)
    static let summary: EntrySummary = {
        var entry = EntrySummary(
            sequence: 7, id: "00000000-0000-7000-8000-000000000001", backend: "breathesafe", account: "1", route: "measurement",
            lane: "users/5", state: "pending", capturedAt: day)
        (entry.dueAt, entry.canBeLookedUp, entry.size) = (day, true, 12)
        return entry
    }()
    static let session = SessionReport(backend: "breathesafe", state: "signedIn", account: "1", email: "ann@lab.test", since: day)
    static let status = Status(
        sentence: "Ready.", attention: [], backends: [], spool: nil, version: "1", startedAt: day, cursor: 3)

    func status(_ request: NoInput, by caller: Caller) async throws -> Status {
        try note("status", request, caller)
        return Self.status
    }
    static let report = DoctorReport(findings: [
        Finding(check: "name", state: "problem", finding: "DNS does not know the host.", remedy: "Check it.", backend: "breathesafe")
    ])
    func doctor(_ request: NoInput, by caller: Caller) async throws -> DoctorReport {
        try note("doctor", request, caller)
        return Self.report
    }
    func sessions(_ request: NoInput, by caller: Caller) async throws -> SessionList {
        try note("sessions", request, caller)
        return SessionList(sessions: [Self.session])
    }
    func signIn(_ request: SignIn, by caller: Caller) async throws -> SessionReport {
        try note("signIn", request, caller)
        return Self.session
    }
    func signOut(_ request: SignOut, by caller: Caller) async throws -> SignOutReport {
        try note("signOut", request, caller)
        return SignOutReport(backend: "breathesafe", local: "cleared", server: "ended", waiting: 2)
    }
    func submit(_ request: Submission, by caller: Caller) async throws -> SubmissionReceipt {
        try note("submit", request, caller)
        return SubmissionReceipt(
            id: Self.summary.id, sequence: 7, duplicate: isDuplicate, backend: "breathesafe", account: "1", lane: "users/5")
    }
    static let page = EntryPage(entries: [summary], next: 7, total: 10_000, totalIsLeast: true)
    func entries(_ request: EntryQuery, by caller: Caller) async throws -> EntryPage {
        try note("entries", request, caller)
        return Self.page
    }
    func entry(_ request: EntryReference, by caller: Caller) async throws -> EntryDetail {
        try note("entry", request, caller)
        return EntryDetail(entry: Self.summary, attempts: [])
    }
    func why(_ request: EntryReference, by caller: Caller) async throws -> Explanation {
        try note("why", request, caller)
        return Explanation(id: request.id, state: "pending", sentence: "It is the next to be sent.", next: nil, needsPerson: false)
    }
    func retry(_ request: RetryRequest, by caller: Caller) async throws -> EntrySummary {
        try note("retry", request, caller)
        return Self.summary
    }
    func fix(_ request: FixRequest, by caller: Caller) async throws -> SubmissionReceipt {
        try note("fix", request, caller)
        return SubmissionReceipt(
            id: Self.summary.id, sequence: 7, duplicate: isDuplicate, backend: "breathesafe", account: "1", lane: "users/7")
    }
    func resolve(_ request: ResolveRequest, by caller: Caller) async throws -> EntrySummary {
        try note("resolve", request, caller)
        return Self.summary
    }
    func discard(_ request: DiscardRequest, by caller: Caller) async throws -> EntrySummary {
        try note("discard", request, caller)
        return Self.summary
    }
    func restore(_ request: EntryReference, by caller: Caller) async throws -> EntrySummary {
        try note("restore", request, caller)
        return Self.summary
    }
    static let exported = ExportedEntry(entry: summary, fields: ["user_id": "5"], payload: "{\"a\": 1.50,\r\n\t\"n\": \"ü\"}")
    func export(_ request: EntryReference, by caller: Caller) async throws -> ExportedEntry {
        try note("export", request, caller)
        return Self.exported
    }
    static let parts = ["SQLite format 3", "the rest"].map { Array($0.utf8) }
    func backup(_ request: NoInput, by caller: Caller) async throws -> Download {
        try note("backup", request, caller)
        return Download(size: Self.parts.map(\.count).reduce(0, +), next: rest)
    }
    @Sendable private func rest() throws -> [UInt8] {
        let number = sent.withLock { number in
            defer { number += 1 }
            return number
        }
        if number > 0, let laterParts { return try laterParts() }
        return number < Self.parts.count ? Self.parts[number] : []
    }
    static let key = KeyReport(
        path: "/s/homing.key", isCredential: false, fingerprint: "3f2a-91c0-5d77-e004", madeAt: day, isPending: false, isResealing: true,
        left: 3)
    func key(_ request: NoInput, by caller: Caller) async throws -> KeyReport {
        try note("key", request, caller)
        return Self.key
    }
    func rotateKey(_ request: KeyRotation, by caller: Caller) async throws -> KeyReport {
        try note("rotateKey", request, caller)
        return Self.key
    }
    static let keyCopy = KeyCopy(key: "a2V5\n")
    func copyKey(_ request: NoInput, by caller: Caller) async throws -> KeyCopy {
        try note("copyKey", request, caller)
        return Self.keyCopy
    }
    func sync(_ request: SyncRequest, by caller: Caller) async throws -> SyncReport {
        try note("sync", request, caller)
        return SyncReport(waiting: 4, cursor: 3, obstacle: nil)
    }
    static let pause = PauseReport(backend: "breathesafe", reason: "backup", since: day, until: nil, by: "ann")
    static let receipt = ReceiptReport(
        sequence: 7, id: summary.id, outcome: "delivered", capturedAt: day, settledAt: day, backend: "breathesafe", account: "1",
        email: "ann@lab.test", lane: "users/5", route: "measurement", remoteID: "811", status: 201, foundByLookup: false, attempts: 0,
        size: 12, discardedBy: nil)
    static let lane = LaneReport(
        backend: "breathesafe", account: "1", email: "ann@lab.test", lane: "users/5", head: summary.id, state: "pending", capturedAt: day,
        dueAt: nil, waiting: 2)

    static let roster: RosterReport = {
        var report = RosterReport(
            backend: "breathesafe", resource: "managed_users", title: RosterTitle(one: "person", many: "people"), state: "complete",
            sentence: "1 person of ann@lab.test at breathesafe, read 3 minutes ago.")
        (report.account, report.email, report.count, report.total, report.readAt) = ("1", "ann@lab.test", 1, 1, day)
        return report
    }()
    static let people = RosterPage(
        roster: roster, rows: [RosterRow(id: "28", label: "Anna Example", values: ["/managed_id": "28"])], matching: 1, next: nil)

    func discardFile(_ request: FileDiscardRequest, by caller: Caller) async throws -> DiscardedFile {
        try note("discardFile", request, caller)
        return DiscardedFile(name: request.name, refused: 1)
    }
    func claim(_ request: NoInput, by caller: Caller) async throws -> ClaimReport {
        try note("claim", request, caller)
        return ClaimReport(files: 3, backend: "breathesafe", account: "1", email: "ann@lab.test")
    }
    func pause(_ request: PauseRequest, by caller: Caller) async throws -> PauseList {
        try note("pause", request, caller)
        return PauseList(pauses: [Self.pause], inflight: 1)
    }
    func resume(_ request: ResumeRequest, by caller: Caller) async throws -> PauseList {
        try note("resume", request, caller)
        return PauseList(pauses: [], inflight: 0)
    }
    func receipts(_ request: ReceiptQuery, by caller: Caller) async throws -> ReceiptPage {
        try note("receipts", request, caller)
        return ReceiptPage(receipts: [Self.receipt], next: 7)
    }
    func receipt(_ request: EntryReference, by caller: Caller) async throws -> ReceiptReport {
        try note("receipt", request, caller)
        return Self.receipt
    }
    static let stats: StatsReport = {
        var account = AccountStats(backend: "breathesafe", account: "1", email: "ann@lab.test")
        (account.captured, account.refused, account.medianDelay) = (3, ["forbidden": 1], 1200)
        return StatsReport(
            since: day, until: day, accounts: [account], backends: [BackendStats(backend: "breathesafe")],
            days: [DayStats(day: "2025-12-06", captured: 3, refused: 1)], hours: [HourStats(hour: day, captured: 3, longestWait: 900)])
    }()
    func stats(_ request: StatsQuery, by caller: Caller) async throws -> StatsReport {
        try note("stats", request, caller)
        return Self.stats
    }
    static let trail = AuditPage(records: [AuditRecord(cursor: 4, at: day, kind: "sign-out", event: "signedOut")], keptSince: day)
    func audit(_ request: AuditQuery, by caller: Caller) async throws -> AuditPage {
        try note("audit", request, caller)
        return Self.trail
    }
    func lanes(_ request: LaneQuery, by caller: Caller) async throws -> LaneList {
        try note("lanes", request, caller)
        return LaneList(lanes: [Self.lane])
    }
    static let backends: BackendList = {
        var route = RouteSummary(
            name: "measurement", fields: [FieldSummary(name: "user_id", type: "integer", reference: "managed_users")], takesPayload: true)
        route.form = ["first_name"]
        return BackendList(backends: [BackendSummary(name: "breathesafe", routes: [route])])
    }()
    func backends(_ request: NoInput, by caller: Caller) async throws -> BackendList {
        try note("backends", request, caller)
        return Self.backends
    }
    func rosters(_ request: RosterListQuery, by caller: Caller) async throws -> RosterList {
        try note("rosters", request, caller)
        return RosterList(rosters: [Self.roster])
    }
    func roster(_ request: RosterQuery, by caller: Caller) async throws -> RosterPage {
        try note("roster", request, caller)
        return Self.people
    }
    func refreshRoster(_ request: RosterReference, by caller: Caller) async throws -> RosterReport {
        try note("refreshRoster", request, caller)
        return Self.roster
    }
    func events(_ request: EventQuery, by caller: Caller) async throws -> AsyncStream<[Event]> {
        try note("events", request, caller)
        if request.since ?? oldest < oldest { throw Problem(.eventsPruned, status: 410, title: "", detail: "Gone.", oldest: oldest) }
        return stream
    }
    func denied(_ call: String, by peer: Peer) async { state.withLock { $0.denials.append(call) } }
}
