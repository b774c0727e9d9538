import Backends
import ControlAPI
import ControlServer
import Delivery
import Outbox
import SyncModel

/// How much of what is told a caller may see. An observer sees neither names of accounts nor words of a server, which may repeat a payload.
struct View {
    let seesPeople: Bool

    /// The names by which people know accounts; for an observer each is told by its number alone.
    func labels(_ labels: [Destination: String]) -> [Destination: String] { seesPeople ? labels : [:] }

    /// What went wrong. An observer hears of an answer by its status alone.
    func failure(_ failure: Failure, at backend: String) -> Failure {
        guard !seesPeople, let status = failure.status else { return failure }
        return Failure(failure.reason, status: status, Self.answered(status, backend), outcomeUnknown: failure.outcomeUnknown)
    }

    /// The same of words that are stored beside the status of the answer they came with.
    func words(_ words: String?, status: Int?, at backend: String) -> String? {
        guard !seesPeople, let words, let status else { return words }
        return words.isEmpty ? words : Self.answered(status, backend)
    }

    private static func answered(_ status: Int, _ backend: String) -> String { "\(backend) answered with status \(status)." }

    func session(_ report: SessionReport) -> SessionReport {
        guard !seesPeople else { return report }
        var report = report
        (report.email, report.reason, report.failure) = (nil, nil, report.failure.map { _ in "The session cannot be renewed." })
        return report
    }

    func session(_ snapshot: SessionSnapshot) -> SessionSnapshot {
        guard !seesPeople else { return snapshot }
        return SessionSnapshot(
            backend: snapshot.backend, state: snapshot.state,
            account: snapshot.account.map { Account(id: $0.id, label: "account \($0.id)") }, since: snapshot.since,
            remembered: snapshot.remembered, unverifiedSince: snapshot.unverifiedSince, revision: snapshot.revision)
    }

    func gate(_ gate: Gate, at backend: String) -> Gate {
        guard case .cooling(let until, let failure) = gate else { return gate }
        return .cooling(until: until, self.failure(failure, at: backend))
    }

    func record(_ record: EntryRecord) -> EntryRecord {
        var record = record
        record.lastError = words(record.lastError, status: record.lastStatus, at: record.destination.backend)
        return record
    }

    func event(_ event: Event) -> Event {
        guard !seesPeople else { return event }
        var event = event
        for key in ["email", "as", "message", "error"] { event.detail[key] = nil }
        // Why a session ended or did not begin may be told in the server's words.
        if event.kind.hasPrefix("sign") { event.detail["reason"] = nil }
        return event
    }
}

extension Station {
    func view(of peer: Peer) -> View { View(seesPeople: policy.access(of: peer).map { $0 >= .operate } ?? false) }
}
