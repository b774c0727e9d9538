import Backends
import ControlAPI
import ControlServer
import Delivery
import Outbox
import Sessions
import SyncModel

/// Hides data from observers: they see no account names and no server text, which may repeat a payload (WhatObserversSee).
struct ObserverView {
    let seesPeople: Bool

    /// Account names; observers see only ids.
    func labels(_ labels: [Destination: String]) -> [Destination: String] { seesPeople ? labels : [:] }

    /// Observers see only the status of a server's answer.
    func failure(_ failure: Failure, at backend: String) -> Failure {
        seesPeople ? failure : failure.withoutWords(at: backend)
    }

    /// Does the same as `failure` for stored text; `status` is the status of its response.
    func words(_ words: String?, status: Int?, at backend: String) -> String? {
        guard !seesPeople, let words, let status else { return words }
        return words.isEmpty ? words : Failure.answer(status, of: backend)
    }

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

    func gate(_ gate: Gate, at backend: String) -> Gate { seesPeople ? gate : gate.withoutWords(at: backend) }

    func entry(_ entry: Entry) -> Entry {
        var entry = entry
        entry.lastError = words(entry.lastError, status: entry.lastStatus, at: entry.destination.backend)
        return entry
    }

    func event(_ event: SyncEvent) -> SyncEvent {
        guard !seesPeople, let shown = Self.facts(of: event.kind) else { return event }
        var event = event
        event.detail = event.detail.filter { shown.contains($0.key) }
        return event
    }

    /// The facts that observers see; others may name a person or contain the server's text. Nil for all.
    private static func facts(of kind: SyncEvent.Kind) -> Set<String>? {
        switch kind {
        case .captured: ["by", "lane", "replaces", "route"]
        case .delivered: ["altered", "foundByLookup", "remoteID", "route", "status"]
        case .retrying, .released, .dead, .recovered: ["aside", "crashes", "reason", "status"]
        case .held: ["by", "from", "reason", "status", "until"]
        case .retried: ["after", "by", "from"]
        case .discarded: ["by", "from"]
        case .superseded: ["by", "from", "new"]
        case .resolved: ["by", "outcome", "remoteID"]
        case .restored: ["by", "to"]
        case .exported, .backedUp, .keyChanged, .keyExported: ["by"]
        case .resealed: ["rows"]
        case .backupRestored: ["by", "held", "made"]
        case .gateChanged: ["gate", "reason", "until"]
        case .signedIn, .signedOut, .signInRefused, .signInFailed, .signInRequired, .signOutFailed:
            ["by", "data", "discarded", "owedUntil", "server", "way"]
        case .signOutHeard, .signOutGivenUp: ["cause", "server"]
        case .fileRefused: ["file", "reason"]
        case .fileDiscarded: ["by", "file"]
        case .claimed: ["by", "files"]
        case .started: ["version"]
        case .reloaded: nil  // named after configuration keys
        case .stopped: []
        case .synced, .denied: ["by", "call"]
        case .paused, .resumed: ["by", "reason", "until"]
        case .salvaged: ["mayMissMore", "missing", "unreadable", "reason", "saved"]
        case .unverified: ["receipts", "since"]
        case .rosterChanged: ["added", "changed", "removed", "resource", "rows"]
        }
    }
}

extension ObserverView {
    init(_ caller: Caller) { self.init(seesPeople: caller.access >= .operate) }
}
