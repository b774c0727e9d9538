import Delivery
import Foundation
import Outbox
import SyncModel

/// I4: at every instant eligible means being sent, or a time set at which it will be.
extension World {
    /// Checked after every event, with the time that the core saw.
    func checkProgress() throws {
        if isStoring { return }
        if let again = view.storeAgainAt { return try checkTimer(again, "the full disk") }
        let sent = Set(tries.map(\.entry.sequence))
        if let lost = model.inflight.first(where: { !sent.contains($0) }) {
            throw Violation("I4", "entry \(lost) is in flight, and neither sent nor being written")
        }
        if view.isStopping { return }
        let isTold = !underway.contains { if case .mail(.arrived) = $0 { true } else { false } }
        for name in names { try checkProgress(name, isTold: isTold) }
    }

    private func checkProgress(_ name: String, isTold: Bool) throws {
        if view.draining.contains(name) {
            if !tries.contains(where: { $0.backend == name }) { throw Violation("drain", "\(name) is drained, and nobody is told") }
            return
        }
        guard let account = view.accounts[name]?.account else { return }
        if let pause = view.pauses[name]?.pause {
            if let until = pause.until { try checkTimer(until, "the end of the pause of \(name)") }
            return
        }
        let isChecking = underway.contains {
            switch $0 {
            case .checkSession(name): true
            case .mail(.session(name, _, _)): true
            default: false
            }
        }
        guard isTold, !isChecking, let due = model.nextDue(Destination(backend: name, account: account)) else { return }
        let sending = tries.filter { $0.backend == name }.count
        // Where a session is well and the backend denies it all the same, one entry at a time is sent.
        let limit = plan.has(.stillUnauthorized) ? 1 : plan.inFlight
        // A time past the horizon was set by a clock that was ahead; the outbox sets it right.
        let isPastHorizon = Date(ms: due) > now.addingTimeInterval(Model.horizon)
        switch view.gates[name] {
        case .open:
            if sending >= limit { return }
            if Date(ms: due) <= now || isPastHorizon {
                throw Violation("I4", "something at \(name) is due, and only \(sending) are sent; timer \(timerText)")
            }
            try checkTimer(Date(ms: due), "the next entry at \(name)")
        case .cooling(let until, _):
            if sending > 0 || isProbing(name) { return }
            try checkTimer(isPastHorizon ? until : max(until, Date(ms: due)), "the end of the cooling of \(name)")
        case .paused, .signInRequired, nil:
            throw Violation("I4", "the gate of \(name) is \(view.gates[name]?.name ?? "unknown"), with \(account) signed in and no pause")
        }
    }

    private func checkTimer(_ date: Date, _ what: String) throws {
        // Half a millisecond, which is what the outbox rounds.
        if let wakeAt = view.wakeAt, wakeAt <= date.addingTimeInterval(0.001) { return }
        throw Violation("I4", "no timer for \(what) at \(date.timeIntervalSince(now)) s from now; timer \(timerText)")
    }

    private var timerText: String { view.wakeAt.map { "in \($0.timeIntervalSince(now)) s" } ?? "none" }
}
