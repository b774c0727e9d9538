import ControlAPI
import Foundation

@testable import homing

/// Sample answers at 14:15 on 11 March 2025 in Prague.
enum Sample {
    static let now = Date(timeIntervalSince1970: 1_741_698_900)  // 2025-03-11 13:15:00 UTC
    static let times = TimeText(now: now, timeZone: TimeZone(secondsFromGMT: 3600) ?? .gmt)

    static func ago(minutes: Double) -> Date { now.addingTimeInterval(-60 * minutes) }

    static func id(_ number: Int) -> String { "0190a1b2-c3d4-7e5f-8a9b-" + String(0x3f2a_91c0_4b00 + number, radix: 16) }

    static func session(_ state: String = "signedIn", reason: String? = nil, remembered: Bool = false) -> SessionReport {
        let isOut = state == "signedOut"
        return SessionReport(
            backend: "breathesafe", state: state, account: isOut ? nil : "5", email: isOut ? nil : "anna@clinic.example",
            since: isOut ? nil : ago(minutes: 125), remembered: remembered, reason: reason)
    }

    static func backend(
        _ name: String = "breathesafe", gate: String = "open", reason: String? = nil, session: SessionReport = session(),
        queue: QueueReport = QueueReport(), oldest: Date? = nil, last: Date? = nil, next: Date? = nil, others: [WaitingAccount] = []
    ) -> BackendReport {
        BackendReport(
            name: name, baseURL: "https://\(name).example", gate: gate, gateReason: reason, session: session, queue: queue,
            oldestWaiting: oldest, lastDelivered: last, nextTry: next, otherAccounts: others)
    }

    static func status(
        _ sentence: String = "All is well.", attention: [Attention] = [], backends: [BackendReport] = [backend()],
        spool: SpoolReport? = nil, cursor: Int64 = 7
    ) -> Status {
        Status(
            sentence: sentence, attention: attention, backends: backends, spool: spool, version: "0.1.0", startedAt: ago(minutes: 600),
            cursor: cursor)
    }

    static func entry(
        _ number: Int, _ state: String = "pending", hold: String? = nil, backend: String = "breathesafe", due: Date? = nil,
        remoteID: String? = nil, lastStatus: Int? = nil, lastError: String? = nil, subject: SubjectReport? = nil
    ) -> EntrySummary {
        var entry = EntrySummary(
            sequence: Int64(number), id: id(number), backend: backend, account: "5", route: "measurement", lane: "users/5", state: state,
            capturedAt: ago(minutes: 3))
        (entry.holdReason, entry.dueAt, entry.attempts, entry.releases) = (hold, due, 1, 2)
        (entry.canBeLookedUp, entry.size, entry.remoteID) = (true, 17_400, remoteID)
        (entry.lastStatus, entry.lastError, entry.subject) = (lastStatus, lastError, subject)
        entry.title = measurement
        return entry
    }

    static let measurement = RosterTitle(one: "measurement", many: "measurements")

    static func subject(_ id: String = "28", _ label: String? = "Anna Example") -> SubjectReport {
        SubjectReport(resource: "managed_users", field: "user_id", id: id, label: label)
    }

    static let people = RosterSummary(
        resource: "managed_users", title: RosterTitle(one: "person", many: "people"), state: "complete", count: 4, readAt: ago(minutes: 3))

    static func roster(_ state: String = "complete", backend: String = "breathesafe", sentence: String = "") -> RosterReport {
        var report = RosterReport(backend: backend, resource: people.resource, title: people.title, state: state, sentence: sentence)
        if state == "complete" { (report.count, report.total, report.readAt) = (4, 4, ago(minutes: 3)) }
        return report
    }

    static func event(_ cursor: Int64, _ kind: String = "delivered", detail: [String: String] = [:]) -> Event {
        Event(cursor: cursor, at: now, kind: kind, backend: "breathesafe", account: "5", entry: id(1), detail: detail)
    }
}
