import Backends
import ControlAPI
import ControlServer
import Delivery
import Foundation
import Outbox
import Roster
import ServiceLifecycle
import Sessions
import SyncModel

extension ControlHandler {
    func rosters(_ request: RosterListQuery, by caller: Caller) async throws -> RosterList {
        let named = try request.backend.map { name throws(Problem) in [try keeper(name)] }
        var reports: [RosterReport] = []
        for keeper in named ?? keepers.values.sorted(by: { $0.backend.name < $1.backend.name }) {
            let snapshot = await keeper.snapshot
            let heads = try await heads(of: snapshot)
            reports += keeper.backend.resources.map { resource in
                report(resource, of: snapshot, heads.first { $0.key.resource == resource.name })
            }
        }
        return RosterList(rosters: reports)
    }

    /// Never waits for the network.
    func roster(_ request: RosterQuery, by caller: Caller) async throws -> RosterPage {
        let (keeper, resource) = try resource(request.resource, at: request.backend)
        let snapshot = await keeper.snapshot
        let key = try key(of: resource, snapshot)
        let all = try await shownRows(of: resource, in: key)
        let selection = RosterSelection(request, except: all.hidden)
        let shown = all.matching(selection)
        if let after = request.after.map({ RosterID($0) }) {
            _ = try await outbox.scanRoster(key) { row in
                if row.id == after { selection.start(after: row) }
                return row.id != after
            }
            guard selection.hasStart else {
                throw Problem.invalid("There is no row ‘\(after)’; the list may have changed.", next: "Start again without ‘after’.")
                    .stating(.rowGone) { $0.title = RosterTitle(resource.title) }
            }
        }
        let head = try await outbox.scanRoster(key) { row in
            selection.take(row)
            return true
        }
        // The account may have left meanwhile, and its rows with it.
        guard try self.key(of: resource, await keeper.snapshot) == key else {
            throw Problem.busy("Another account has just signed in at \(keeper.backend.name).")
        }
        let deletions = try await outbox.deletions(by: keeper.backend.deletions(of: resource), at: key.destination)
        var report = report(resource, of: snapshot, head)
        let text = request.find ?? request.label ?? (request.ids.isEmpty ? nil : request.ids.joined(separator: ", "))
        let selected = text.map { RosterSentence.Selection(text: $0, matching: selection.matching) }
        let counts = shown.counts(beside: selection.leftOut)
        report.sentence = sentence(report, selected, counts).text
        (report.new, report.created, report.deleted) = (counts.new, counts.created, counts.deleted)
        let listed = selection.rows.map { row in
            let values = zip(resource.keep, row.kept).compactMap { pointer, value in value.text.map { ("\(pointer)", $0) } }
            return ControlAPI.RosterRow(
                id: row.id.rawValue, label: row.label, values: Dictionary(values) { first, _ in first })
        }
        let rows = ((request.after == nil ? shown.rows : []) + listed).map { row in
            var row = row
            row.deletion = deletions[RosterID(row.id)]?.description
            return row
        }
        return RosterPage(
            roster: report, rows: rows, matching: selection.matching + shown.rows.count,
            next: selection.next?.rawValue)
    }

    /// Returns when the read has ended, or after a minute.
    func refreshRoster(_ request: RosterReference, by caller: Caller) async throws -> RosterReport {
        let (keeper, resource) = try resource(request.resource, at: request.backend)
        _ = try key(of: resource, await keeper.snapshot)
        let answer = await refreshed(resource, at: keeper.backend.name)
        // The session may have ended meanwhile.
        let snapshot = await keeper.snapshot
        _ = try key(of: resource, snapshot)
        var report = report(resource, of: snapshot, try await heads(of: snapshot).first { $0.key.resource == resource.name })
        switch answer {
        case .done?, nil: break
        case .failed(let failure)?, .impossible(.serverPaused(_, let failure))?: report.failure = failure.message
        case .impossible(.paused)?: report.failure = "Sending to \(report.backend) is paused."
        case .impossible(.signedOut)?: report.failure = "The session has just changed. Run the command again."
        case .impossible(.stopping)?: report.failure = "The daemon is stopping."
        }
        return report
    }

    /// The answer to a new read; nil after a minute, or if the daemon stops. The read continues.
    private func refreshed(_ resource: Resource, at backend: String) async -> RosterAnswer? {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: RosterAnswer?.self) { group in
                group.addTask { await rosters.refresh(backend: backend, resource: resource.name) }
                group.addTask {
                    try? await Task.sleep(for: .seconds(60), clock: .continuous)  // `try?`: cancelled because the read has ended
                    return nil
                }
                defer { group.cancelAll() }
                return await group.next() ?? nil
            }
        }
    }

    /// The lists for the status; nil while signed out, and for a backend without lists.
    func rosterSummaries(_ session: SessionReport, for view: ObserverView) async throws -> [RosterSummary]? {
        guard session.isSignedIn, let account = session.account, let resources = keepers[session.backend]?.backend.resources,
            !resources.isEmpty
        else { return nil }
        let heads = try await outbox.rosterHeads(of: Destination(backend: session.backend, account: AccountID(account)))
        return resources.map { resource in
            let head = heads.first { $0.key.resource == resource.name }
            var summary = RosterSummary(
                resource: resource.name, title: RosterTitle(resource.title), state: Self.state(of: head).rawValue, count: head?.count,
                readAt: head?.readAt)
            let ages = head?.readAt.addingTimeInterval(resource.maxAge.seconds)
            summary.staleSince = ages.flatMap { $0 < clock.now ? $0 : nil }
            let condition = rosters.condition(of: session.backend, resource.name)
            (summary.failure, summary.failureCause, summary.failingSince) = (
                condition.failure.map { view.failure($0, at: session.backend).message }, condition.failure?.reason.rawValue,
                condition.failingSince
            )
            return summary
        }
    }

    /// The resource of the named backend, or of the only one that has it.
    private func resource(_ name: String, at backend: String?) throws(Problem) -> (SessionKeeper, Resource) {
        let searched = try backend.map { name throws(Problem) in [try keeper(name)] } ?? Array(keepers.values)
        let found = searched.flatMap { keeper in keeper.backend.resources.filter { $0.name == name }.map { (keeper, $0) } }
        guard found.count < 2 else { throw .backendNotNamed(known: found.map(\.0.backend.name).sorted()) }
        guard let only = found.first else {
            let known = searched.flatMap(\.backend.resources).map(\.name).sorted()
            throw .notFound("There is no list ‘\(name)’; \(known.isEmpty ? "none is configured" : "configured: \(known.inWords)").")
        }
        return only
    }

    /// The key of the account's list. Throws while signed out: an account sees only its own lists.
    private func key(of resource: Resource, _ snapshot: SessionSnapshot) throws(Problem) -> RosterKey {
        guard snapshot.state == .signedIn, let account = snapshot.account else {
            let sentence = sentence(report(resource, of: snapshot, nil))
            throw Problem(
                .signInRequired, status: 409, title: "Not signed in", detail: sentence.signedOut,
                next: "To see your \(resource.title.many), run: \(commands(for: snapshot.backend).login)")
        }
        return RosterKey(destination: Destination(backend: snapshot.backend, account: account.id), resource: resource.name)
    }

    private func heads(of snapshot: SessionSnapshot) async throws -> [RosterHead] {
        guard snapshot.state == .signedIn, let account = snapshot.account else { return [] }
        return try await outbox.rosterHeads(of: Destination(backend: snapshot.backend, account: account.id))
    }

    private static func state(of head: RosterHead?) -> RosterReport.State {
        guard let head else { return .unread }
        return head.incomplete == nil ? .complete : .incomplete
    }

    private func report(_ resource: Resource, of snapshot: SessionSnapshot, _ head: RosterHead?) -> RosterReport {
        let isSignedIn = snapshot.state == .signedIn
        var report = RosterReport(
            backend: snapshot.backend, resource: resource.name, title: RosterTitle(resource.title),
            state: (isSignedIn ? Self.state(of: head) : .signedOut).rawValue)
        if isSignedIn || snapshot.state == .signInRequired {
            (report.account, report.email) = (snapshot.account?.id.rawValue, snapshot.account?.label)
        }
        if isSignedIn {
            let condition = rosters.condition(of: snapshot.backend, resource.name)
            (report.reading, report.failure, report.failingSince) = (
                condition.isReading, condition.failure?.message, condition.failingSince
            )
            (report.count, report.total, report.readAt) = (head?.count, head?.total, head?.readAt)
            report.reason = head?.incomplete?.rawValue
            report.stale = head.map { clock.now.timeIntervalSince($0.readAt) > resource.maxAge.seconds } ?? false
        }
        if let backend = keepers[snapshot.backend]?.backend {
            let references = backend.references(to: resource).map { reference in
                FieldReference(
                    route: reference.route, field: reference.field, type: reference.type,
                    takesPayload: backend.takesPayload(route: reference.route))
            }
            report.references = references.isEmpty ? nil : references
        }
        report.actions = actions(on: resource, at: snapshot.backend)
        let sentence = sentence(report)
        report.sentence = sentence.text
        (report.failureCause, report.nextTry) = (sentence.failure?.reason.rawValue, sentence.nextTry)
        report.paused = sentence.isPaused ? true : nil
        return report
    }

    private func sentence(
        _ report: RosterReport, _ selection: RosterSentence.Selection? = nil, _ counts: RosterSentence.Counts = .init()
    ) -> RosterSentence {
        let condition = rosters.condition(of: report.backend, report.resource)
        var (isPaused, failure) = (false, condition.failure)
        switch dispatcher.gates[report.backend] {
        case .paused?: isPaused = true
        // Homing reads no list either while it waits to send again.
        case .cooling(_, let reason)? where report.readAt == nil || report.stale: failure = failure ?? reason
        default: break
        }
        return RosterSentence(
            report: report, failure: failure, isPaused: isPaused, nextTry: condition.nextTry, selection: selection, counts: counts,
            commands: commands(for: report.backend), moment: Moment(now: clock.now))
    }
}

extension RosterTitle {
    init(_ title: Resource.Title) { self.init(one: title.one, many: title.many) }
}
