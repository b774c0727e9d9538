import ControlAPI
import ControlServer
import Foundation
import Outbox
import SyncModel

extension ControlHandler {
    func stats(_ request: StatsQuery, by caller: Caller) async throws -> StatsReport {
        if let named = request.backend { _ = try keeper(named) }
        let now = clock.now
        let until = min(request.until ?? now, now)
        let since = request.since ?? until.addingTimeInterval(-29 * 86_400)
        guard since <= until else {
            throw Problem.invalid("The period ends before it begins.", next: "Give a start before the end, and before now.")
        }
        let last = FigureKey.day(ofMs: until.ms)
        let days = max(FigureKey.day(ofMs: since.ms), last - Outbox.daysOfFigures)...last
        var figures = try await outbox.figures(ofDays: days, at: now)
        if let named = request.backend { figures.byKey = figures.byKey.filter { $0.key.backend == named } }
        let labels = ObserverView(caller).labels(try await outbox.accountLabels())
        var report = StatsReport(figures, labels: labels)
        report.since = Date(ms: days.lowerBound * FigureKey.msPerDay)
        report.until = min(now, Date(ms: (last + 1) * FigureKey.msPerDay))
        if let recent = recentHours(of: report, at: now) {
            report.hours = try await outbox.hourFigures(of: recent, backend: request.backend, at: now).map { figure in
                HourStats(
                    hour: Date(ms: figure.hour * HourFigure.msPerHour), captured: figure.captured, delivered: figure.delivered,
                    longestWait: figure.longestWait)
            }
        }
        return report
    }

    private static let mostHours: Int64 = 48

    /// Those of the last 48 hours that are in the period, and of which all events are kept; nil for none.
    private func recentHours(of report: StatsReport, at now: Date) -> ClosedRange<Int64>? {
        let kept = HourFigure.hour(ofMs: now.addingTimeInterval(-keepDelivered).ms) + 1
        let first = max(HourFigure.hour(ofMs: report.since.ms), HourFigure.hour(ofMs: now.ms) - Self.mostHours + 1, kept)
        // The end may be the begin of the next hour.
        let last = HourFigure.hour(ofMs: report.until.ms - 1)
        return first <= last ? first...last : nil
    }

    func audit(_ request: AuditQuery, by caller: Caller) async throws -> AuditPage {
        if let named = request.backend { _ = try keeper(named) }
        let asked = request.kind.flatMap { AuditKind(rawValue: $0) }.map { [$0] } ?? AuditKind.allCases
        let kinds = asked.flatMap(\.events).compactMap { SyncEvent.Kind(rawValue: $0) }
        let (events, keptSince) = try await outbox.trail(
            TrailFilter(
                kinds: Set(kinds), since: request.since, account: request.account.map { AccountID($0) }, backend: request.backend,
                after: request.after, limit: request.limit))
        let view = ObserverView(caller)
        let labels = view.labels(try await outbox.accountLabels())
        var users = UserNames()
        return AuditPage(
            records: events.map { AuditRecord(view.event($0), labels: labels, users: &users) },
            next: events.count == request.limit ? events.last?.cursor : nil, keptSince: keptSince)
    }
}

extension StatsReport {
    fileprivate init(_ figures: Figures, labels: [Destination: String]) {
        self.init(since: .distantPast, until: .distantPast, accounts: [], backends: [], days: [])
        // Events of the station belong to no backend.
        let byKey = figures.byKey.filter { !$0.key.backend.isEmpty }
        let groups = Dictionary(grouping: byKey) { [$0.key.backend, $0.key.account] }
        for (names, group) in groups.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            var sum = DailyFigure()
            for (_, figure) in group { sum.add(figure) }
            if names[1].isEmpty {
                var stats = BackendStats(backend: names[0])
                (stats.outages, stats.outageTime, stats.signInsFailed) = (sum.outages, sum.outageTime, sum.signInsFailed)
                stats.outageSince = figures.outages[names[0]]
                backends.append(stats)
            } else {
                let destination = Destination(backend: names[0], account: AccountID(names[1]))
                accounts.append(AccountStats(sum, of: destination, email: labels[destination]))
            }
        }
        days = Dictionary(grouping: byKey) { $0.key.day }.sorted { $0.key < $1.key }.map { day, group in
            var sum = DailyFigure()
            for (_, figure) in group { sum.add(figure) }
            let text = Date(ms: day * FigureKey.msPerDay).formatted(.iso8601.year().month().day())
            return DayStats(
                day: text, captured: sum.captured, delivered: sum.delivered, refused: sum.refused.values.reduce(0, +),
                signIns: sum.signedIn, signOuts: sum.signedOut, outageTime: sum.outageTime)
        }
    }
}

extension AccountStats {
    fileprivate init(_ sum: DailyFigure, of destination: Destination, email: String?) {
        self.init(backend: destination.backend, account: destination.account.rawValue, email: email)
        (captured, delivered, refused) = (sum.captured, sum.delivered, sum.refused)
        (retried, discarded) = (sum.retried, sum.discarded)
        (medianDelay, p95Delay) = (sum.delays.quantile(0.5), sum.delays.quantile(0.95))
        (signIns, signOuts) = (sum.signedIn, sum.signedOut)
    }
}

extension AuditRecord {
    fileprivate init(_ event: SyncEvent, labels: [Destination: String], users: inout UserNames) {
        let name = event.kind.rawValue
        let kind = AuditKind.allCases.first { $0.events.contains(name) }
        self.init(cursor: event.cursor, at: event.at, kind: kind?.rawValue ?? name, event: name, detail: event.detail)
        (backend, account, entry) = (event.backend, event.account?.rawValue, event.entry?.description)
        if let backend = event.backend, let account = event.account {
            email = event.detail["email"] ?? labels[Destination(backend: backend, account: account)]
        }
        // As `Peer` and `Requester` describe themselves.
        let words = (event.detail["by"] ?? "").split(whereSeparator: { $0 == " " || $0 == "," })
        if words.count > 1, words[0] == "uid", let number = UInt32(words[1]) {
            (uid, user) = (Int(number), users[number].short)
        }
    }
}
