import Delivery
import Foundation
import Outbox
import SyncModel

/// A backend that takes nobody's session any more, whatever is renewed: the sign-in itself goes through each time.
extension World {
    private static let hours = 6.0
    /// Entries that may be held before it is plain that the fault is the backend's, and the pauses that grow until they are as long as they get.
    private static let (mostHeld, growing) = (3, 8.0)

    /// Every backend denies everything for some hours: that spends no attempts, holds three entries at most for each session, and is asked
    /// about ever more seldom.
    func deny() async throws {
        for name in names where keepers[name]?.isLeaving == false { setSession(name, Account(id: "1", label: "1")) }
        let (before, revisions, end) = (model, view.accounts, time + Self.hours * 3600)
        // What had been answered just before is written only now.
        func wasSettled(_ item: Model.Item) -> Bool { before.items[item.sequence]?.state == .inflight }
        var tries: [String: Int] = [:]
        var left = 20_000 + 200 * model.items.count
        while time < end {
            left -= 1
            if left == 0 { throw Violation("I4", "it never came to rest, at backends that deny everybody") }
            if case .attempt(let attempt) = underway.first, attempt.sent == nil {
                tries[attempt.backend, default: 0] += 1
                try checkTries(attempt.backend, tries, since: revisions)
            }
            if !underway.isEmpty {
                try await finish(0, .stillUnauthorized)
            } else if timer != nil {
                try fire(lateBy: 0)
            } else {
                break
            }
        }
        for item in model.open where !wasSettled(item) {
            guard let earlier = before.items[item.sequence] else { continue }
            if item.attempts > earlier.attempts || item.state == .dead && earlier.state != .dead {
                throw Violation("I7", "entry \(item.sequence) has \(item.attempts) attempts, for a backend that denies everybody")
            }
        }
        for name in names {
            let held = model.open.count {
                $0.destination.backend == name && $0.holdReason == .forbidden && before.items[$0.sequence]?.holdReason != .forbidden
                    && !wasSettled($0)
            }
            if held > Self.mostHeld * sessions(name, since: revisions) {
                throw Violation("denial", "\(held) entries are held, for what is the fault of \(name)")
            }
            if tries[name] ?? 0 > Self.mostHeld { met("deniedForHours") }
        }
    }

    private func sessions(_ name: String, since revisions: [String: (account: String?, revision: Int)]) -> Int {
        1 + (keepers[name]?.revision ?? 0) - (revisions[name]?.revision ?? 0)
    }

    /// What is sent at the same time learns it together.
    private func checkTries(
        _ name: String, _ tries: [String: Int], since revisions: [String: (account: String?, revision: Int)]
    ) throws {
        let longest = CircuitBreaker.Policy().ceiling
        let most =
            (Double(plan.inFlight + Self.mostHeld) + Self.growing) * Double(sessions(name, since: revisions)) + Self.hours * 3600 / longest
            + 1
        if Double(tries[name] ?? 0) > most {
            throw Violation("denial", "\(name) is asked \(tries[name] ?? 0) times in \(Self.hours) hours, and denies everybody")
        }
    }
}
