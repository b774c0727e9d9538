import ControlAPI
import Foundation

@testable import Dashboard

/// Sample reports at 14:15 on 11 March 2025, with one text at every place that comes from outside.
struct Sample {
    static let now = Date(timeIntervalSince1970: 1_741_702_500)  // 2025-03-11 14:15:00 UTC
    static let keys = Keys()
    static func desk(_ words: Catalogue = .english) -> Desk { Desk(words: words, keys: keys, now: now, timeZone: .gmt) }

    var text = "Anna Example"

    func entry(_ state: String = "dead", hold: String? = nil, id: String? = nil) -> EntrySummary {
        var entry = EntrySummary(
            sequence: 12, id: id ?? text, backend: text, account: text, route: text, lane: text, state: state,
            capturedAt: Self.now.addingTimeInterval(-180), acceptedAt: Self.now.addingTimeInterval(-120))
        entry.title = RosterTitle(one: text, many: text)
        entry.subject = SubjectReport(resource: text, field: text, id: text, label: "\(text)!")
        (entry.holdReason, entry.attempts, entry.size, entry.lastStatus, entry.lastError) = (hold, 3, 17_400, 503, text)
        (entry.remoteID, entry.settledAt, entry.dueAt) = (text, Self.now, Self.now.addingTimeInterval(60))
        if hold == "discarding" { entry.discardAt = Self.now.addingTimeInterval(600) }
        return entry
    }

    var backend: BackendReport {
        var session = SessionReport(
            backend: text, state: "signedIn", account: text, email: text, since: Self.now, remembered: true, reason: text)
        session.failure = text
        var backend = BackendReport(
            name: text, baseURL: text, gate: "cooling", gateReason: text, session: session,
            queue: QueueReport(pending: 3, held: 1, dead: 1, delivered: 1_412, discarding: 1), oldestWaiting: Self.now,
            lastDelivered: Self.now,
            nextTry: Self.now, otherAccounts: [WaitingAccount(account: text, email: text, waiting: 2)])
        backend.owedSignOuts = [OwedSignOutReport(account: text, until: Self.now, sentence: text)]
        return backend
    }

    var status: Status {
        var spool = SpoolReport(directory: text, waiting: 0, refused: 1)
        spool.refusedFiles = [text]
        let codes = [
            "dead", "held", "sign-in-required", "refused-files", "paused", "unclaimed-files", "route-failing", "misconfigured", text,
        ]
        let attention = codes.map { code in
            var item = Attention(code: code, text: text, next: text, backend: text)
            item.facts = facts
            return item
        }
        return Status(
            sentence: text, attention: attention, backends: [backend], spool: spool, version: "1", startedAt: Self.now, cursor: 7)
    }

    var why: Explanation { why([.retry, .fix, .discard]) }

    func why(_ changes: [Explanation.Change]) -> Explanation {
        var why = Explanation(id: text, state: "dead", sentence: text, next: text, needsPerson: true, changes: changes.map(\.rawValue))
        (why.cause, why.facts) = ("refused", facts)
        return why
    }

    /// Each value that a sentence can name.
    var facts: SentenceFacts {
        var facts = SentenceFacts()
        (facts.account, facts.person, facts.entry, facts.name, facts.address, facts.path) = (text, text, text, text, text, text)
        (facts.count, facts.limit, facts.later, facts.dependents, facts.least, facts.bytes) = (2, 3, 4, 5, true, 640 << 20)
        (facts.at, facts.since, facts.until) = (Self.now.addingTimeInterval(60), Self.now, Self.now.addingTimeInterval(600))
        facts.wait = 300
        (facts.title, facts.subject) = (RosterTitle(one: text, many: text), entry().subject)
        (facts.status, facts.reason, facts.words) = (503, text, text)
        return facts
    }

    var overview: Overview {
        Overview(
            status: status, cases: [.init(entry: entry(), why: why), .init(entry: entry("held", hold: text), why: why)],
            discarded: [entry("held", hold: "discarding")], delivered: [entry("delivered")])
    }

    var receipt: ReceiptReport {
        var receipt = ReceiptReport(
            sequence: 12, id: text, outcome: text, capturedAt: Self.now, settledAt: Self.now, backend: text, account: text, email: text,
            lane: text, route: text, remoteID: text, status: 201, foundByLookup: true, attempts: 1, size: 17_400, discardedBy: text,
            altered: text, unverified: true)
        receipt.subject = entry().subject
        receipt.resolvedBy = text
        return receipt
    }

    func story(_ state: String) -> StoryPage {
        var entry = entry(state)
        (entry.uncertain, entry.retryMayDuplicate, entry.supersededBy) = (true, true, text)
        let attempt = AttemptSummary(
            startedAt: Self.now, endedAt: Self.now, verdict: text, counted: true, status: 503, message: text)
        let detail = EntryDetail(entry: entry, attempts: [attempt], fields: [text: text], behind: text)
        let changes: [String: [Explanation.Change]] = ["dead": [.resolve, .discard], "pending": [.fix, .discard]]
        return StoryPage(detail: detail, why: why(changes[state] ?? []), receipt: receipt)
    }

    var lane: LaneReport {
        var lane = LaneReport(
            backend: text, account: text, email: text, lane: text, head: text, state: text, capturedAt: Self.now,
            dueAt: Self.now.addingTimeInterval(60), waiting: 3)
        lane.subject = entry().subject
        return lane
    }

    var roster: RosterPage {
        var report = RosterReport(backend: text, resource: text, title: RosterTitle(one: text, many: text), state: text, sentence: text)
        report.account = text
        let rows = [
            RosterRow(id: text, label: text, values: [:]), RosterRow(id: "@\(text)", label: text, values: [:], pending: "new"),
            RosterRow(id: "other", label: text, values: [:], deletion: text),
        ]
        return RosterPage(roster: report, rows: rows, matching: 3, next: text)
    }

    var figures: FiguresPage {
        var account = AccountStats(backend: text, account: text, email: text)
        (account.captured, account.delivered, account.refused) = (1204, 1198, [text: 3, "forbidden": 1])
        (account.medianDelay, account.p95Delay) = (1400, 7_500_000)
        (account.signIns, account.signOuts) = (2, 1)
        var backend = BackendStats(backend: text)
        (backend.outages, backend.outageTime, backend.outageSince, backend.signInsFailed) = (2, 12_000_000, Self.now, 1)
        let days = [
            DayStats(day: "2025-02-09", captured: 7777), DayStats(day: "2025-02-10", captured: 40, delivered: 20, signIns: 1),
            DayStats(day: "2025-03-11", captured: 1, delivered: 10, refused: 4, signOuts: 1, outageTime: 12_000_000),
            DayStats(day: text, captured: 7777),
        ]
        // 2025-02-10
        let since = Date(timeIntervalSince1970: 1_739_145_600)
        var report = StatsReport(since: since, until: Self.now, accounts: [account], backends: [backend], days: days)
        // From 15:00 on 9 March.
        report.hours = (0..<48).map { HourStats(hour: Date(timeIntervalSince1970: 1_741_532_400 + Double($0) * 3600)) }
        report.hours[46].longestWait = 5_400_000
        (report.hours[47].captured, report.hours[47].delivered, report.hours[47].longestWait) = (20, 10, 60_000)
        return FiguresPage(report: report)
    }

    var face: Face? {
        let name = String(decoding: JSONCoding.encoded(text), as: UTF8.self)
        return Face(
            payload: """
                {"landmark_coordinates": {"1": {"x": 0, "y": 1, "z": 2}, "2": {"x": 3.5, "y": -4, "z": 5}},
                "measurement_pairs": [{"from": 1, "to": 2, "key": "1-2", "description": \(name)}],
                "average_measurements": {"1-2": {"value": 17.25}}}
                """)
    }

    func faces(_ overlay: FaceOverlay, left: Int = 0) -> FacesPage {
        FacesPage(person: text, back: EntryQuery(backend: text, user: text), overlay: overlay, left: left)
    }

    /// Every page that shows words from outside.
    func pages(_ desk: Desk) async throws -> [Page] {
        let problem = Problem(.internalError, status: 500, title: text, detail: text, next: text)
        let choice = try await DiscardChoice([entry()], takesDiscarded: false) { _ async throws(Problem) in [] }
        let query = EntryQuery(state: text, backend: text, user: text)
        var signedOut = backend
        signedOut.session.state = "signInRequired"
        return [
            overview.page(desk), story("dead").page(desk), story("pending").page(desk), story("delivered").page(desk),
            QueuePage(query: query, entries: EntryPage(entries: [entry("pending")], next: 7), lanes: [lane]).page(desk),
            DeliveredPage(newest: [entry("delivered")]).page(desk),
            DeliveredPage(receipts: ReceiptPage(receipts: [receipt], next: 7)).page(desk),
            PeoplePage(lists: [roster.roster, roster.roster], chosen: roster, find: text, lanes: [lane]).page(desk),
            PeoplePage(lists: [], problem: problem).page(desk), figures.page(desk), AccountsPage(status: status).page(desk),
            AccountsPage.signIn(signedOut, email: text, problem: problem, desk), AccountsPage.signOut(backend, desk),
            Questions.fix(entry(), roster, find: text, desk), Questions.discard(entry(), choice, desk), Questions.discard(file: text, desk),
            Questions.delivered(entry(), desk),
            FacePage(entry: entry(), face: face).page(desk), FacePage(entry: entry(), face: nil).page(desk), desk.page(problem),
            faces(FaceOverlay(captures: [face, face].compactMap(\.self).map { .init(entry: entry(), face: $0) }), left: 2).page(desk),
            faces(FaceOverlay(captures: [])).page(desk),
        ]
    }
}
