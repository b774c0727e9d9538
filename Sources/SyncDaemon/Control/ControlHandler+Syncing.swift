import Backends
import Capture
import ControlAPI
import ControlServer
import Delivery
import Foundation
import Outbox
import Sessions
import SyncModel

extension ControlHandler {
    func sync(_ request: SyncRequest, by caller: Caller) async throws -> SyncReport {
        if let named = request.backend { _ = try keeper(named) }
        let cursor = try await outbox.newestCursor()
        let now = clock.now
        var made: [String: MadeDue] = [:]
        for (name, keeper) in keepers where request.backend == nil || request.backend == name {
            made[name] = try await outbox.makeDue(
                backend: name, lookingUp: keeper.backend.routesWithLookUp, rereading: keeper.backend.routesThatReread,
                sentBefore: now.addingTimeInterval(-dispatcher.lookupAfter), at: now)
        }
        try await outbox.record([SyncEvent(at: clock.now, .synced, backend: request.backend, detail: ["by": caller.peer.description])])
        dispatcher.hurry(backend: request.backend)
        spool.look()
        let status = try await status(NoInput(), by: caller)
        let meant = status.backends.filter { request.backend == nil || $0.name == request.backend }
        let others = meant.map(\.waitingForOthers).reduce(0, +)
        let waiting = meant.map(\.queue.waiting).reduce(0, +) - others
        let sentences = meant.flatMap { report in
            obstacles(for: report, status.attention) + [wait(of: report, made[report.name])].compactMap(\.self)
        }
        return SyncReport(
            waiting: max(0, waiting), cursor: cursor, obstacle: sentences.isEmpty ? nil : sentences.joined(separator: "\n"),
            others: others > 0 ? others : nil)
    }

    /// Why a backend's entries cannot be sent without a person, and what to do.
    private func obstacles(for report: BackendReport, _ attention: [Attention]) -> [String] {
        let gate = report.gateReason ?? ""
        let paused = report.knownGate == .paused ? ["\(gate) To resume, run: \(commands(for: report.name).resume)"] : []
        guard report.queue.waiting > 0 else { return paused }
        let signingOut = report.knownGate == .signInRequired && report.session.knownState == .signingOut ? [gate] : []
        var codes = [Attention.Code.otherAddress, .networkSignIn, .signInRequired, .otherAccount, .lookUpFailing]
        if report.ownWaiting > 0, report.queue.blocked >= report.ownWaiting { codes += [.dead, .held] }
        let notices = attention.filter { $0.backend == report.name && codes.contains($0.knownCode) }
        return paused + signingOut + notices.map { "\($0.text) \($0.next)" }
    }

    /// Why nothing is sent at once, although no person is needed.
    private func wait(of report: BackendReport, _ made: MadeDue?) -> String? {
        guard report.session.isSignedIn, report.pause == nil, let id = report.session.account else { return nil }
        let moment = Moment(now: clock.now)
        let isIdle = report.queue.inflight == 0
        if isIdle, report.coolingCause == .throttled, let next = report.nextTry, next > moment.now {
            return "\(report.name) asked Homing to wait. Nothing to do: Homing sends again at \(moment.text(next))."
        }
        if made?.lookedUp.contains(AccountID(id)) == true, report.queue.unseen == 0 {
            return
                "It is not known whether the last send took effect at \(report.name). Homing looks that up first, and sends again only if it did not. Nothing to do."
        }
        guard isIdle, let due = made?.later[AccountID(id)] else { return nil }
        return
            "It is not known whether the last send took effect at \(report.name). So that nothing happens twice, Homing waits until \(moment.text(due)). Nothing to do."
    }
}
