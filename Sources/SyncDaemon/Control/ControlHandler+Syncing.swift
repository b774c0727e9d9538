import Backends
import Capture
import ControlAPI
import ControlServer
import Delivery
import Outbox
import Sessions
import SyncModel

extension ControlHandler {
    func sync(_ request: SyncRequest, by caller: Caller) async throws -> SyncReport {
        if let named = request.backend { _ = try keeper(named) }
        let cursor = try await outbox.newestCursor()
        for (name, keeper) in keepers where request.backend == nil || request.backend == name {
            try await outbox.makeDue(backend: name, lookingUp: keeper.backend.routesWithLookUp, at: clock.now)
        }
        try await outbox.record([SyncEvent(at: clock.now, .synced, backend: request.backend, detail: ["by": caller.peer.description])])
        dispatcher.hurry(backend: request.backend)
        spool.look()
        let meant = try await status(NoInput(), by: caller).backends.filter { request.backend == nil || $0.name == request.backend }
        let others = meant.map(\.waitingForOthers).reduce(0, +)
        let waiting = meant.map(\.queue.waiting).reduce(0, +) - others
        let paused = meant.first { $0.knownGate == .paused }.map {
            "\($0.gateReason ?? "") To resume, run ‘\(commands(for: $0.name).resume)’."
        }
        let obstacles = [paused].compactMap(\.self) + meant.flatMap(missingPeople)
        return SyncReport(
            waiting: max(0, waiting), cursor: cursor, obstacle: obstacles.isEmpty ? nil : obstacles.joined(separator: " "),
            others: others > 0 ? others : nil)
    }

    /// The accounts that must sign in for waiting entries of a backend, and how; a sentence or two each.
    private func missingPeople(_ report: BackendReport) -> [String] {
        let moved = report.waitingForFormerAddress.map {
            "\(StatusSummary.captures($0)) \($0 == 1 ? "waits" : "wait") for an address that \(report.name) no longer has. See ‘homing status’."
        }
        return [moved].compactMap(\.self) + missingHere(report)
    }

    private func missingHere(_ report: BackendReport) -> [String] {
        guard report.waitingForPeople > 0 else { return [] }
        let commands = commands(for: report.name)
        if report.knownGate == .signInRequired {
            let who = report.awaited.map { "\($0) has to sign in" } ?? "Sign in"
            return ["\(report.gateReason ?? "") \(who) with ‘\(commands.login(of: report.awaited))’."]
        }
        guard report.session.isSignedIn, let present = report.session.email else { return [] }
        return report.otherAccounts.map { other in
            let wait = "\(StatusSummary.captures(other.waiting)) of \(other.email) \(other.waiting == 1 ? "waits" : "wait")"
            return "\(wait) at \(report.name) until that account signs in. \(commands.change(from: present, to: other.email))"
        }
    }
}
