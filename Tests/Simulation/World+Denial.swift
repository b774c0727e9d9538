import Delivery
import Foundation
import Outbox
import SyncModel

/// Outages of hours, which no entry may pay for.
extension World {
    private static let hours = 6.0

    /// Every backend fails for hours in a way that never counts.
    func failForHours() async throws {
        for name in names where keepers[name]?.isLeaving == false { setSession(name, Account(id: "1", label: "1")) }
        let fate = Fate.outages[Int(plan.seed % UInt64(Fate.outages.count))]
        met("outage: \(fate)")
        let (before, end) = (model, time + Self.hours * 3600)
        // Responses from just before the outage are stored now.
        func wasSettled(_ item: Model.Item) -> Bool { before.items[item.sequence]?.state == .inflight }
        var tries: [RouteOfBackend: Int] = [:]
        try await goOn(until: end, fate) { attempt in
            let route = RouteOfBackend(backend: attempt.backend, route: attempt.entry.mutation.route)
            tries[route, default: 0] += 1
            if tries[route] ?? 0 > Self.mostTries + plan.inFlight {
                throw Violation("outage", "\(route) is asked \(tries[route] ?? 0) times in \(Self.hours) hours of \(fate)")
            }
        }
        var paid: [RouteOfBackend: Int] = [:]
        for item in model.open where item.state == .dead || item.state == .held && item.holdReason == .forbidden {
            guard let earlier = before.items[item.sequence], earlier.state == .pending, !wasSettled(item) else { continue }
            paid[RouteOfBackend(backend: item.destination.backend, route: item.route.rawValue), default: 0] += 1
        }
        // A lone entry can be judged only by time.
        if let route = paid.first(where: { $0.value > 1 }) {
            throw Violation("outage", "\(route.value) entries of \(route.key) pay for \(Self.hours) hours of \(fate)")
        }
        try await recover(from: fate)
    }

    /// The limit for tries of a route, with pauses of a quarter of the outage so far, at most ten minutes.
    private static let mostTries = 120

    private func recover(from fate: Fate) async throws {
        let (begin, wall) = (time, now)
        // They are due only after their create.
        let dependents = Set(model.open.filter { item in item.needs.map { model.state(of: $0) != .delivered } ?? false }.map(\.sequence))
        // Each cursed entry may be the probe of its route and cost a pause, or make its whole backend pause.
        let cursed = model.open.filter { $0.curse != nil }
        func pauses(of item: Model.Item) -> Int {
            cursed.count {
                $0.route == item.route || $0.curse?.fate.asksForPause == true && $0.destination.backend == item.destination.backend
            }
        }
        for passed in 0...(model.open.map(pauses).max() ?? 0) {
            try await goOn(until: begin + Self.soon * Double(passed + 1), .fine) { _ in }
            for name in names where keepers[name]?.account?.id == "1" {
                let left = model.waiting(at: Destination(backend: name, account: "1")).first {
                    $0.curse == nil && $0.due <= wall.ms && !dependents.contains($0.sequence) && pauses(of: $0) <= passed
                }
                if let left {
                    throw Violation(
                        "outage", "entry \(left.sequence) (\(left.route)) still waits \(time - begin) s after an outage (\(fate))")
                }
            }
        }
    }

    /// Seconds: the longest pause, and a margin.
    private static let soon: TimeInterval = 600 + 120

    func goOn(until end: TimeInterval, _ fate: Fate, _ look: (Try) throws -> Void) async throws {
        var left = 40_000 + 400 * model.items.count
        while time < end {
            left -= 1
            if left == 0 { throw Violation("I4", "it never came to rest while all ended as \(fate)") }
            if case .attempt(let attempt) = underway.first, attempt.sent == nil { try look(attempt) }
            if !underway.isEmpty {
                try await finish(0, fate)
            } else if let timer, timer <= end {
                try fire(lateBy: 0)
            } else {
                return try advance(to: end)
            }
        }
    }
}
