import Delivery
import Foundation
import Outbox
import SyncModel

/// I4: each eligible entry is being sent or has a timer.
extension World {
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
        guard isTold, !isChecking else { return }
        let due = model.nextDueByRoute(Destination(backend: name, account: account)).mapValues { Date(ms: $0) }
        guard !due.isEmpty else { return }
        let sending = tries.filter { $0.backend == name }
        switch view.gates[name] {
        case .cooling(let until, let failure)
        where !(view.routes[name] ?? [:]).values.contains { ($0.until, $0.failure) == (until, failure) }:
            if !sending.isEmpty || isProbing(name) { return }
            let next = due.values.map { isPastHorizon($0) ? until : max(until, $0) }.min() ?? until
            try checkTimer(next, "the end of the cooling of \(name)")
        case .open, .cooling:
            if sending.count >= plan.inFlight { return }
            // A route's gate may look like its backend's until the probe ends.
            if view.gates[name] != .open, isProbing(name) || !sending.isEmpty { return }
            for (route, date) in due {
                let isSent = sending.contains { $0.entry.mutation.route == route }
                try checkProgress(name, route, due: isPastHorizon(date) ? now : date, isSent: isSent)
            }
        case .paused, .signInRequired, nil:
            throw Violation("I4", "the gate of \(name) is \(view.gates[name]?.name ?? "unknown"), with \(account) signed in and no pause")
        }
    }

    /// On a reachable backend, due entries are in flight. For a closed route it is enough that one entry or a probe is.
    private func checkProgress(_ name: String, _ route: String, due: Date, isSent: Bool) throws {
        let gate = view.routes[name]?[route]
        if gate != nil, isSent || isProbing(name) { return }
        let next = gate.map { max($0.until, due) } ?? due
        if next <= now { throw Violation("I4", "something of \(route) at \(name) is due, and not sent; timer \(timerText)") }
        try checkTimer(next, "the next entry of \(route) at \(name)")
    }

    /// Set by a clock that was ahead; the outbox corrects it.
    private func isPastHorizon(_ due: Date) -> Bool { due > now.addingTimeInterval(Model.horizon) }

    private func checkTimer(_ date: Date, _ what: String) throws {
        // The outbox rounds by up to half a millisecond.
        if let wakeAt = view.wakeAt, wakeAt <= date.addingTimeInterval(0.001) { return }
        throw Violation("I4", "no timer for \(what) at \(date.timeIntervalSince(now)) s from now; timer \(timerText)")
    }

    private var timerText: String { view.wakeAt.map { "in \($0.timeIntervalSince(now)) s" } ?? "none" }
}
