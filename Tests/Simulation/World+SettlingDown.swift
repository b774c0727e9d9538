import Delivery
import Foundation
import Outbox
import SyncModel

/// All faults stop, every account signs in in turn, and eligible entries settle in bounded time.
extension World {
    func settleDown() async throws {
        isDiskFull = false
        try setClock(0)
        // Each cursed entry may take hours until it fails.
        let limit = 24 * 3600 + 10 * 3600 * Double(model.open.filter { $0.curse != nil }.count)
        if view.isStopping, isRunning { try await rest(within: limit) }
        if !isRunning { try reopen(isFault: false) }
        for name in names { try await resume(name) }
        if plan.has(.outages) { try await failForHours() }
        let begin = time
        try await restAsEachAccount(within: limit)
        recovery = time - begin
        if let draining = view.draining.first { throw Violation("drain", "\(draining) was never drained") }
        try await checkStore()
        try await checkPauses()
        try await putRight(within: limit)
        met("heldForCreate", times: model.references.held)
        met("releasedWithCreate", times: model.references.released)
    }

    func restAsEachAccount(within limit: TimeInterval) async throws {
        for number in 1...plan.accounts {
            for name in names {
                while keepers[name]?.isLeaving == true { try await rest(within: limit) }
                setSession(name, Account(id: AccountID(String(number)), label: String(number)))
            }
            try await rest(within: limit, asAccount: number)
            for name in names {
                let destination = Destination(backend: name, account: AccountID(String(number)))
                if let due = model.nextDue(destination) {
                    throw Violation("I4", "it came to rest with something at \(destination) due at \(Date(ms: due)), and it is \(now)")
                }
            }
        }
        if !model.inflight.isEmpty { throw Violation("I4", "\(model.inflight.sorted()) were left in flight") }
        try checkWaiting()
    }

    /// Submits another entry for each route with a cursed entry. Its deliveries let the cursed one fail.
    private func submitContrast(_ account: Int) async throws {
        for name in names {
            let destination = Destination(backend: name, account: AccountID(String(account)))
            for route in Set(model.waiting(at: destination).filter { $0.curse != nil }.map(\.route)) {
                try await submit(name, account - 1, plan.lanes, route, halts: false, nil, after: nil, nil, 1)
            }
        }
    }

    /// In seconds.
    private static let contrastPeriod: TimeInterval = 1800

    /// Runs everything in order without faults.
    ///
    /// - Parameter account: submits contrasting entries for its cursed ones.
    private func rest(within limit: TimeInterval, asAccount account: Int? = nil) async throws {
        let begin = time
        var contrastAt = begin
        var left = 20_000 + 200 * model.items.count
        while true {
            left -= 1
            if left == 0 {
                throw Violation("I4", "it never came to rest: \(underway.count) things under way, timer \(String(describing: timer))")
            }
            if !underway.isEmpty {
                try await finish(0, .fine)
            } else if timer != nil {
                try fire(lateBy: 0)
            } else {
                return
            }
            if let account, time >= contrastAt {
                contrastAt = time + Self.contrastPeriod
                try await submitContrast(account)
            }
            if time - begin > limit { throw Violation("I4", "it took more than \(limit / 3600) hours to settle") }
        }
    }

    /// The stored pauses match the core's. After a full disk they differ until the next start.
    private func checkPauses() async throws {
        if plan.has(.diskFull) { return }
        let stored = try await outbox.pauses()
        for name in names where (stored[name] != nil) != (view.pauses[name]?.pause != nil) {
            throw Violation("pause", "of \(name) is stored \(String(describing: stored[name])), and the core disagrees")
        }
    }
}
