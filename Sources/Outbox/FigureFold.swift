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
    /// The entry replaced another one, and has its capture.
    var isReplacement = false
}

/// Counts events into figures. Pure, so that the daily pass and a question between two passes count alike.
struct FigureFold {
    /// The last event counted.
    private(set) var cursor: Int64
    /// Current and interrupted ones, by backend.
    private(set) var outages: [String: BackendOutage]
    private(set) var figures: [FigureKey: DailyFigure] = [:]

    init(cursor: Int64 = 0, outages: [String: BackendOutage] = [:]) { (self.cursor, self.outages) = (cursor, outages) }

    /// By backend.
    var currentOutages: [String: BackendOutage] { outages.filter { !$0.value.isInterrupted } }

    mutating func add(_ event: CountedEvent) {
        cursor = max(cursor, event.cursor)
        switch event.kind {
        case .captured where !event.isReplacement: count(event) { $0.captured += 1 }
        case .delivered:
            count(event) { figure in
                figure.delivered += 1
                if let capturedAt = event.capturedAt { figure.delays.add(ms: event.at - capturedAt) }
            }
            serverAnswered(event.backend)
        // The time of that delivery is unknown.
        case .resolved where event.outcome == "delivered": count(event) { $0.delivered += 1 }
        case .retrying: count(event) { $0.retried += 1 }
        case .dead: count(event) { $0.refused[event.reason ?? "refused", default: 0] += 1 }
        case .held where event.reason == HoldReason.forbidden.rawValue: count(event) { $0.refused["forbidden", default: 0] += 1 }
        case .discarded: count(event) { $0.discarded += 1 }
        case .signedIn: count(event) { $0.signedIn += 1 }
        case .signedOut: count(event) { $0.signedOut += 1 }
        case .signInRefused, .signInFailed: count(event) { $0.signInsFailed += 1 }
        case .gateChanged: gateChanged(event)
        // A run that was killed left no `stopped`. A reload may have removed the backend.
        case .stopped, .reloaded, .started: interruptOutages(at: event.at)
        default: break
        }
    }

    /// Counts the time of current outages.
    mutating func countOutages(upTo ms: Int64) {
        for (backend, outage) in currentOutages {
            addOutageTime(of: backend, from: outage.counted, to: ms)
            outages[backend]?.counted = max(outage.counted, ms)
        }
    }

    private mutating func count(_ event: CountedEvent, _ change: (inout DailyFigure) -> Void) {
        let key = FigureKey(day: FigureKey.day(ofMs: event.at), backend: event.backend, account: event.account)
        change(&figures[key, default: DailyFigure()])
    }

    /// Without a complete answer of the server. One that asks for a pause, a sign-in, or reports an error is reachable.
    private static let unanswered = Set([Failure.Reason.offline, .tls, .clock, .intercepted, .lostAnswer].map(\.rawValue))

    private mutating func gateChanged(_ event: CountedEvent) {
        let outage = outages[event.backend]
        guard event.gate == "cooling" else {
            // A run begins with an open gate, which says nothing about the server.
            if outage?.isInterrupted == false { endOutage(of: event.backend, at: event.at) }
            return
        }
        guard Self.unanswered.contains(event.reason ?? "") else { return endOutage(of: event.backend, at: event.at) }
        if let outage {
            guard outage.isInterrupted else { return }
            if event.at - outage.counted <= BackendOutage.longestGap {
                outages[event.backend]?.isInterrupted = false
                return
            }
        }
        outages[event.backend] = BackendOutage(began: event.at, counted: event.at)
        figures[FigureKey(day: FigureKey.day(ofMs: event.at), backend: event.backend), default: DailyFigure()].outages += 1
    }

    /// The time between two runs is not counted: nothing knows whether the server could be reached.
    private mutating func interruptOutages(at ms: Int64) {
        outages = outages.filter { !$0.value.isInterrupted || ms - $0.value.counted <= BackendOutage.longestGap }
        for (backend, outage) in outages {
            if !outage.isInterrupted { addOutageTime(of: backend, from: outage.counted, to: ms) }
            outages[backend] = BackendOutage(began: outage.began, counted: ms, isInterrupted: true)
        }
    }

    private mutating func serverAnswered(_ backend: String) {
        if outages[backend]?.isInterrupted == true { outages[backend] = nil }
    }

    private mutating func endOutage(of backend: String, at end: Int64) {
        guard let outage = outages.removeValue(forKey: backend), !outage.isInterrupted else { return }
        addOutageTime(of: backend, from: outage.counted, to: end)
    }

    /// Each day gets its part.
    private mutating func addOutageTime(of backend: String, from begin: Int64, to end: Int64) {
        // A clock that was wrong for years must not make thousands of days.
        var begin = max(begin, end - Outbox.daysOfFigures * FigureKey.msPerDay)
        while begin < end {
            let day = FigureKey.day(ofMs: begin)
            let next = min(end, (day + 1) * FigureKey.msPerDay)
            figures[FigureKey(day: day, backend: backend), default: DailyFigure()].outageTime += next - begin
            begin = next
        }
    }
}
