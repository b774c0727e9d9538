import Foundation
import Outbox
import SyncModel

/// What the dispatcher knows of one backend.
struct Link: Sendable {
    let hasHealthRoute: Bool
    /// The account that entries may be sent for; nil where none is signed in.
    var account: Account?
    var sessionRevision = 0
    var isCheckingSession = false
    /// Of the backend as a whole: whether it can be reached, and whether it asked for quiet.
    var breaker = CircuitBreaker()
    /// A probe of the health route is on its way, whatever has become of the breaker since.
    var isProbing = false
    /// By name, as soon as something of the route was tried.
    var routes: [String: RouteState] = [:]
    /// Being sent, by sequence.
    var sending: [Int64: Entry] = [:]
    /// Tried, and not yet written.
    var settling = 0
    var due = Due.unknown
    /// The destination that the outbox is being asked about at this moment.
    var askedFor: Destination?
    var isDraining = false
    /// A person's wish; nil where sending is allowed.
    var pause: Pause?
    var pauseRevision: Int64 = 0
    /// When an entry of any route last got through.
    var lastThrough: Date?
    var shownGate = Gate.signInRequired

    enum Due: Sendable, Equatable {
        /// Ask the outbox.
        case unknown
        /// When the next entry of each route is due.
        case known([String: Date])

        static let nothing = Due.known([:])
    }

    init(hasHealthRoute: Bool) { self.hasHealthRoute = hasHealthRoute }

    var gate: Gate {
        if let pause { return .paused(until: pause.until, reason: pause.reason) }
        if account == nil { return .signInRequired }
        switch breaker.state {
        case .closed: break
        // The pause is over and nothing waits that could find out more: the next entry does, and need not wait.
        case .halfOpen where !hasHealthRoute && due == .nothing && alone > 0: break
        case .open(let until, let failure, _), .halfOpen(let until, let failure): return .cooling(until: until, failure)
        }
        // A route that fails is no news of the backend where entries of another one get through.
        let failing = routes.filter { name, route in
            !route.breaker.isClosed && isWaiting(name) && !(lastThrough.map { route.began <= $0 } ?? false)
        }
        guard let first = failing.values.compactMap(\.gate).min(by: { $0.until < $1.until }) else { return .open }
        return .cooling(until: first.until, first.failure)
    }

    /// Whether something of the route waits, as far as is known.
    private func isWaiting(_ route: String) -> Bool {
        switch due {
        case .unknown: true
        case .known(let times): times[route] != nil || sending.values.contains { $0.mutation.route == route } || settling > 0
        }
    }

    /// Where entries may be sent now; nil while a person, the session or the breaker forbids it.
    func destination(_ name: String) -> Destination? {
        guard let account, pause == nil, !isCheckingSession, !isDraining else { return nil }
        switch breaker.state {
        case .closed: break
        case .halfOpen where !hasHealthRoute: break
        case .halfOpen, .open: return nil
        }
        return Destination(backend: name, account: account.id)
    }

    /// What to claim now; nil where nothing may be sent.
    func order(atMost limit: Int) -> ClaimOrder? {
        // One alone where an entry itself has to find out whether the backend answers.
        if case .halfOpen = breaker.state { return alone > 0 ? ClaimOrder(1) : nil }
        let free = limit - sending.count
        guard free > 0 else { return nil }
        let closed = Set(routes.filter { !$0.value.breaker.isClosed }.keys)
        return ClaimOrder(free, closed: closed, probes: routes.filter { mayProbe($0.key, $0.value) }.mapValues(\.lastFailed))
    }

    /// Whether an entry of the route may find out whether others get through.
    private func mayProbe(_ name: String, _ route: RouteState) -> Bool {
        guard case .halfOpen = route.breaker.state, route.isCleared || !hasHealthRoute else { return false }
        return !sending.values.contains { $0.mutation.route == name }
    }

    private var alone: Int { sending.isEmpty && settling == 0 ? 1 : 0 }

    /// Ends a pause whose time is over, and sets one right whose start lies ahead because the clock was; what the outbox has to keep of it.
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

    /// Ends pauses whose time is over; true where the health route is to be probed: never a second time while the answer may still come.
    mutating func startProbe(_ policy: CircuitBreaker.Policy, _ now: Date) -> Bool {
        guard account != nil, pause == nil, due != .nothing else { return false }
        var wants = false
        if breaker.isOver(policy: policy, now: now) { wants = breaker.elapse() }
        for (name, route) in routes where isDue(name, now) {
            if route.breaker.isOver(policy: policy, now: now) { _ = routes[name]?.breaker.elapse() }
            // An entry is sent only once the health route has answered: a server that hangs need not see it.
            if breaker.isClosed, case .halfOpen = routes[name]?.breaker.state, !route.isCleared { wants = true }
        }
        guard wants, hasHealthRoute, !isProbing else { return false }
        isProbing = true
        return true
    }

    mutating func hurryRoutes(now: Date, unless reason: Failure.Reason? = nil) {
        for name in routes.keys { _ = routes[name]?.breaker.hurry(now: now, unless: reason) }
    }

    /// A success whose time lies ahead was noted by a clock that was.
    mutating func forgetSuccess(ahead now: Date) {
        if let lastThrough, lastThrough > now { self.lastThrough = nil }
        for name in routes.keys { routes[name]?.forgetSuccess(ahead: now) }
    }

    /// What has to be told of routes that are left alone, or not any more.
    mutating func routeChanges(of backend: String) -> [DispatchAction] {
        routes.keys.sorted().compactMap { name in
            guard let route = routes[name], route.gate != route.shownGate else { return nil }
            routes[name]?.shownGate = route.gate
            return .routeChanged(backend: backend, route: name, route.gate)
        }
    }

    /// The health route answered as it should: each route may be tried by an entry.
    mutating func clearRoutes() {
        for (name, route) in routes {
            if case .halfOpen = route.breaker.state { routes[name]?.isCleared = true }
        }
    }

    /// Whether something of the route is known to be due.
    private func isDue(_ route: String, _ now: Date) -> Bool {
        if case .known(let times) = due { times[route].map { Self.isNow($0, now) } ?? false } else { false }
    }

    /// Whether the outbox should be asked, with this order.
    func hasDue(_ order: ClaimOrder, _ now: Date) -> Bool {
        switch due {
        case .unknown: true
        case .known(let times):
            times.contains { route, date in
                (!order.closed.contains(route) || order.probes[route] != nil) && Self.isNow(date, now)
            }
        }
    }

    /// A time further ahead than anything waits was set by a clock that was ahead: the outbox sets it right when it is asked.
    private static func isNow(_ date: Date, _ now: Date) -> Bool { date <= now || date > now.addingTimeInterval(6 * 3600 + 60) }

    /// When there will be something to do without any other event; nil where only an event can bring it.
    func nextTime(_ name: String, inFlight: Int) -> Date? {
        if let pause { return pause.until }
        guard account != nil, due != .nothing else { return nil }
        if case .open(let until, _, _) = breaker.state { return until }
        guard destination(name) != nil, askedFor == nil, let order = order(atMost: inFlight), case .known(let times) = due else {
            return nil
        }
        // The entry that finds out whether the backend answers may be of any route.
        if case .halfOpen = breaker.state { return times.values.min() }
        return times.compactMap { route, date in
            switch routes[route]?.breaker.state {
            case .open(let until, _, _): return max(until, date)
            case .halfOpen where hasHealthRoute && routes[route]?.isCleared == false: return isProbing ? nil : date
            case .halfOpen: return order.probes[route] == nil ? nil : date
            case .closed, nil: return date
            }
        }.min()
    }
}

extension RouteState {
    /// When it began to fail; the far past while it does not.
    var began: Date { breaker.began ?? .distantPast }

    /// Until when, and why, it is left alone; nil where it is not.
    var gate: RouteGate? {
        switch breaker.state {
        case .closed: nil
        case .open(let until, let failure, _), .halfOpen(let until, let failure): RouteGate(since: began, until: until, failure: failure)
        }
    }
}
