import Backends
import ControlAPI
import ControlServer
import Delivery
import Outbox
import Sessions
import SyncModel

/// Filters answers by role. Observers see no account names and no server text, which may repeat a payload (WhatObserversSee).
struct View {
    let seesPeople: Bool

    /// Account names; observers see only ids.
    func labels(_ labels: [Destination: String]) -> [Destination: String] { seesPeople ? labels : [:] }

    /// Observers see only the status of a server's answer.
    func failure(_ failure: Failure, at backend: String) -> Failure {
        guard !seesPeople, let status = failure.status else { return failure }
        return Failure(failure.reason, status: status, Self.answered(status, backend), outcomeUnknown: failure.outcomeUnknown)
    }

    /// As `failure`, for stored text with the status of its answer.
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
        var snapshot = snapshot
        snapshot.account = snapshot.account.map { Account(id: $0.id, label: "account \($0.id)") }
        (snapshot.reason, snapshot.failing) = (nil, nil)
        return snapshot
    }

    func gate(_ gate: Gate, at backend: String) -> Gate {
        guard case .cooling(let until, let failure) = gate else { return gate }
        return .cooling(until: until, self.failure(failure, at: backend))
    }

    func entry(_ entry: Entry) -> Entry {
        var entry = entry
        entry.lastError = words(entry.lastError, status: entry.lastStatus, at: entry.destination.backend)
        return entry
    }

    func event(_ event: Event) -> Event {
        guard !seesPeople else { return event }
        var event = event
        for key in ["email", "as", "message", "error"] { event.detail[key] = nil }
        // The reason may contain the server's text.
        if event.kind.hasPrefix("sign") { event.detail["reason"] = nil }
        return event
    }
}

extension ControlHandler {
    func view(of peer: Peer) -> View { View(seesPeople: policy.access(of: peer).map { $0 >= .operate } ?? false) }
}
