import SyncModel

/// An event with the facts that figures need. Times are Unix milliseconds.
struct CountedEvent {
    var cursor: Int64
    var at: Int64
    /// Nil for kinds that only a newer version knows.
    var kind: SyncEvent.Kind?
    var backend = ""
    var account = ""
    var reason: String?
    var gate: String?
    var outcome: String?
    /// From the receipt of a delivery.
    var capturedAt: Int64?
}

/// Counts events into figures. Pure, so that the daily pass and a question between two passes count alike.
struct FigureFold {
    /// The last event counted.
    private(set) var cursor: Int64
    /// When each current outage began, by backend.
    private(set) var outages: [String: Int64]
    private(set) var figures: [FigureKey: DailyFigure] = [:]

    init(cursor: Int64 = 0, outages: [String: Int64] = [:]) { (self.cursor, self.outages) = (cursor, outages) }

    mutating func add(_ event: CountedEvent) {
        cursor = max(cursor, event.cursor)
        switch event.kind {
        case .captured: count(event) { $0.captured += 1 }
        case .delivered:
            count(event) { figure in
                figure.delivered += 1
                if let capturedAt = event.capturedAt { figure.delays.add(ms: event.at - capturedAt) }
            }
        // The time of that delivery is unknown.
        case .resolved where event.outcome == "delivered": count(event) { $0.delivered += 1 }
        case .retrying: count(event) { $0.retried += 1 }
        case .dead: count(event) { $0.refused[event.reason ?? "refused", default: 0] += 1 }
        case .held where event.reason == HoldReason.forbidden.rawValue: count(event) { $0.refused["forbidden", default: 0] += 1 }
        case .discarded, .superseded: count(event) { $0.discarded += 1 }
        case .signedIn: count(event) { $0.signedIn += 1 }
        case .signedOut: count(event) { $0.signedOut += 1 }
        case .signInRefused, .signInFailed: count(event) { $0.signInsFailed += 1 }
        case .gateChanged: gateChanged(event)
        // A run that was killed left no `stopped`. A reload may have removed the backend.
        case .stopped, .started, .reloaded: endOutages(at: event.at)
        default: break
        }
    }

    /// Counts the time of current outages up to `ms`, and ends them.
    mutating func endOutages(at ms: Int64) { for backend in outages.keys.sorted() { endOutage(of: backend, at: ms) } }

    private mutating func count(_ event: CountedEvent, _ change: (inout DailyFigure) -> Void) {
        let key = FigureKey(day: FigureKey.day(ofMs: event.at), backend: event.backend, account: event.account)
        change(&figures[key, default: DailyFigure()])
    }

    /// Without a complete answer of the server. One that asks for a pause, a sign-in, or reports an error is reachable.
    private static let unanswered = Set([Failure.Reason.offline, .tls, .clock, .intercepted, .lostAnswer].map(\.rawValue))

    private mutating func gateChanged(_ event: CountedEvent) {
        guard event.gate == "cooling", Self.unanswered.contains(event.reason ?? "") else {
            return endOutage(of: event.backend, at: event.at)
        }
        guard outages[event.backend] == nil else { return }
        outages[event.backend] = event.at
        figures[FigureKey(day: FigureKey.day(ofMs: event.at), backend: event.backend), default: DailyFigure()].outages += 1
    }

    /// Each day gets its part.
    private mutating func endOutage(of backend: String, at end: Int64) {
        guard var begin = outages.removeValue(forKey: backend) else { return }
        // A clock that was wrong for years must not make thousands of days.
        begin = max(begin, end - Outbox.daysOfFigures * FigureKey.msPerDay)
        while begin < end {
            let day = FigureKey.day(ofMs: begin)
            let next = min(end, (day + 1) * FigureKey.msPerDay)
            figures[FigureKey(day: day, backend: backend), default: DailyFigure()].outageTime += next - begin
            begin = next
        }
    }
}
