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
        let status = try await status(NoInput(), by: caller)
        let meant = status.backends.filter { request.backend == nil || $0.name == request.backend }
        let others = meant.map(\.waitingForOthers).reduce(0, +)
        let waiting = meant.map(\.queue.waiting).reduce(0, +) - others
        let sentences = meant.flatMap { obstacles(for: $0, status.attention) }
        return SyncReport(
            waiting: max(0, waiting), cursor: cursor, obstacle: sentences.isEmpty ? nil : sentences.joined(separator: " "),
            others: others > 0 ? others : nil)
    }

    /// Why waiting entries of a backend cannot be sent without a person, and what to do.
    private func obstacles(for report: BackendReport, _ attention: [Attention]) -> [String] {
        let gate = report.gateReason ?? ""
        let paused = report.knownGate == .paused ? ["\(gate) To resume, run ‘\(commands(for: report.name).resume)’."] : []
        guard report.queue.waiting > 0 else { return paused }
        let signingOut = report.knownGate == .signInRequired && report.session.knownState == .signingOut ? [gate] : []
        let codes = [Attention.Code.otherAddress, .signInRequired, .otherAccount]
        let notices = attention.filter { $0.backend == report.name && codes.contains($0.knownCode) }
        return paused + signingOut + notices.map { "\($0.text) \($0.next)" }
    }
}
