import Foundation
import Outbox
import SyncModel

/// The state of one backend in the dispatcher.
struct BackendState: Sendable {
    let hasHealthRoute: Bool
    /// The account to send for; nil when signed out or when renewal needs a person.
    var account: Account?
    var sessionRevision = 0
    var isCheckingSession = false
    /// For the backend as a whole: unreachable, or a pause that the server requested.
    var breaker = CircuitBreaker()
    /// A probe is in progress, in any state of the breaker.
    var isProbing = false
    /// Without a health route: when a connection was opened after the breaker became half-open, so that one entry may prove that the outage is over.
    private(set) var connectedAt: Date?
    /// By name, from the first attempt.
    var routes: [String: RouteState] = [:]
    /// By sequence.
    var sending: [Int64: Entry] = [:]
    /// Attempted entries that are not yet written.
    var settling = 0
    var due = Due.unknown
    /// The claim in progress.
    var askedFor: Destination?
    var isDraining = false
    var pause: Pause?
    var pauseRevision: Int64 = 0
    /// The last successful send on any route.
    var lastThrough: Date?
    var shownGate = Gate.signInRequired

    enum Due: Sendable, Equatable {
        /// Query the outbox.
        case unknown
        /// When the next entry of each route is due.
        case known([String: Date])

        static let nothing = Due.known([:])
    }

    init(hasHealthRoute: Bool) { self.hasHealthRoute = hasHealthRoute }

    /// Seconds after which a connection proves nothing any more: as long as the longest pause without one.
    private static let freshConnection: TimeInterval = 15

    func gate(at now: Date) -> Gate {
        if let pause { return .paused(until: pause.until, reason: pause.reason) }
        if account == nil { return .signInRequired }
        switch breaker.state {
        case .closed: break
        // Nothing is due: the next entry is the probe.
        case .halfOpen where connectedAt != nil && isAtRest(now): break
        case .open(let until, let failure, _), .halfOpen(let until, let failure): return .cooling(until: until, failure)
        }
        // A failing route leaves the gate open while another route works.
        let failing = routes.filter { name, route in
            route.gate != nil && isWaiting(name) && !(lastThrough.map { route.began <= $0 } ?? false)
        }
        guard let first = failing.values.compactMap(\.gate).min(by: { $0.until < $1.until }) else { return .open }
        return .cooling(until: first.until, first.failure)
    }

    /// True if the route may have waiting entries.
    private func isWaiting(_ route: String) -> Bool {
        switch due {
        case .unknown: true
        case .known(let times): times[route] != nil || isSending(route) || settling > 0
        }
    }

    private func isSending(_ route: String) -> Bool { sending.values.contains { $0.mutation.route == route } }

    /// Nothing is being sent or due.
    private func isAtRest(_ now: Date) -> Bool {
        guard isIdle, case .known(let times) = due else { return false }
        return !times.keys.contains { isDue($0, now) }
    }

    /// Nil while a pause, the session or the breaker forbids sending.
    func destination(_ name: String) -> Destination? {
        guard let account, pause == nil, !isCheckingSession, !isDraining else { return nil }
        switch breaker.state {
        case .closed: break
        case .halfOpen where connectedAt != nil: break
        case .halfOpen, .open: return nil
        }
        return Destination(backend: name, account: account.id)
    }

    func order(atMost limit: Int) -> ClaimOrder? {
        // The entry is the probe, so send only one.
        if case .halfOpen = breaker.state { return isIdle ? ClaimOrder(1) : nil }
        let free = limit - sending.count
        guard free > 0 else { return nil }
        let closed = Set(routes.filter { !$0.value.breaker.isClosed }.keys)
        return ClaimOrder(free, closed: closed, probes: routes.filter { mayProbe($0.key, $0.value) }.mapValues(\.lastFailed))
    }

    private func mayProbe(_ name: String, _ route: RouteState) -> Bool {
        guard case .halfOpen = route.breaker.state, route.isCleared else { return false }
        return !isSending(name)
    }

    private var isIdle: Bool { sending.isEmpty && settling == 0 }

    /// Ends an expired pause, and corrects one that starts in the future (the clock was set back). Returns the change to store.
    mutating func review(_ now: Date) -> DispatchAction? {
        guard let asked = pause else { return nil }
        let corrected = asked.corrected(at: now)
        if corrected.isOver(at: now) {
            pause = nil
            due = .unknown
            return .pauseEnded(asked)
        }
        pause = corrected
        return corrected == asked ? nil : .pauseCorrected(corrected)
    }

    /// Ends expired pauses; true if a probe must start. There is at most one at a time.
    mutating func endPauses(_ policy: CircuitBreaker.Policy, _ now: Date) -> Bool {
        guard account != nil, pause == nil, due != .nothing else { return false }
        var wants = false
        if breaker.isOver(policy: policy, now: now) {
            wants = breaker.elapse()
            connectedAt = nil
        } else if isConnectionOld(now) {
            connectedAt = nil
            wants = true
        }
        for (name, route) in routes {
            let isDue = isDue(name, now)
            if due != .unknown {
                let isTried = isDue || isSending(name)
                // A login page accepts connections too.
                let isProven = route.isCleared && (hasHealthRoute || route.breaker.failure?.reason != .intercepted)
                routes[name]?.isBackOnline = isProven && route.mayBlameNetwork && !isTried
            }
            // The end of a fault of the network is worth knowing before an entry is due.
            guard isDue || (route.mayBlameNetwork && isWaiting(name) && due != .unknown) else { continue }
            if route.breaker.isOver(policy: policy, now: now) { _ = routes[name]?.breaker.elapse() }
            // Probe before sending an entry, so that a hanging server does not receive it, and no try without a network is stored.
            if breaker.isClosed, case .halfOpen = routes[name]?.breaker.state, !route.isCleared { wants = true }
        }
        return wants && !isProbing
    }

    /// An entry may be tried, and the connection that would permit it is old.
    private func isConnectionOld(_ now: Date) -> Bool {
        guard case .halfOpen = breaker.state, isIdle, askedFor == nil, !isAtRest(now) else { return false }
        return connectedAt?.hasAged(Self.freshConnection, at: now) ?? false
    }

    mutating func trip(_ failure: Failure, policy: CircuitBreaker.Policy, now: Date, using generator: inout some RandomNumberGenerator) {
        // A proxy that requires a sign-in lets no connection through, which a probe finds without an entry.
        let sends = !hasHealthRoute && failure.reason != .intercepted
        breaker.trip(failure, sends: sends, policy: policy, now: now, using: &generator)
    }

    mutating func retryRoutesNow(now: Date, unless reason: Failure.Reason? = nil) {
        for name in routes.keys { _ = routes[name]?.breaker.retryNow(now: now, unless: reason) }
    }

    /// Forgets successes in the future, which would later seem newer than a failure.
    mutating func forgetSuccess(ahead now: Date) {
        lastThrough = lastThrough?.unlessAhead(of: now)
        for name in routes.keys { routes[name]?.forgetSuccess(ahead: now) }
    }

    mutating func routeChanges(of backend: String) -> [DispatchAction] {
        routes.keys.sorted().compactMap { name in
            guard let route = routes[name], route.gate != route.shownGate else { return nil }
            routes[name]?.shownGate = route.gate
            return .routeChanged(backend: backend, route: name, route.gate)
        }
    }

    /// The probe succeeded: the backend is reachable, which its health route proves, and without one the next entry. An entry may probe each route.
    mutating func probeSucceeded(_ now: Date) {
        if hasHealthRoute {
            // Retry its routes at once.
            if !breaker.isClosed { retryRoutesNow(now: now) }
            breaker.succeed()
        } else {
            connectedAt = now
        }
        for (name, route) in routes {
            if case .halfOpen = route.breaker.state { routes[name]?.isCleared = true }
        }
    }

    private func isDue(_ route: String, _ now: Date) -> Bool {
        if case .known(let times) = due { times[route]?.hasCome(at: now, longest: ServerPause.horizon) ?? false } else { false }
    }

    /// True if a claim with this order may find an entry.
    func hasDue(_ order: ClaimOrder, _ now: Date) -> Bool {
        switch due {
        case .unknown: true
        case .known(let times):
            times.contains { route, date in
                (!order.closed.contains(route) || order.probes[route] != nil) && date.hasCome(at: now, longest: ServerPause.horizon)
            }
        }
    }

    /// When to act without another event; nil for never.
    func nextTime(_ name: String, inFlight: Int) -> Date? {
        if let pause { return pause.until }
        guard account != nil, due != .nothing else { return nil }
        if case .open(let until, _, _) = breaker.state { return until }
        guard destination(name) != nil, askedFor == nil, let order = order(atMost: inFlight), case .known(let times) = due else {
            return nil
        }
        // An entry of any route may be the probe.
        if case .halfOpen = breaker.state { return times.values.min() }
        return times.compactMap { route, date in
            switch routes[route]?.breaker.state {
            case .open(let until, _, _): return routes[route]?.mayBlameNetwork == true ? until : max(until, date)
            case .halfOpen where routes[route]?.isCleared == false: return isProbing ? nil : date
            case .halfOpen: return order.probes[route] == nil ? nil : date
            case .closed, nil: return date
            }
        }.min()
    }
}
