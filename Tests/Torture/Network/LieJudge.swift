import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

struct LieJudge {
    let backend: FarBackend
    let mayCount: Int
    private var exceeded: Set<String> = []
    private(set) var problems: [String] = []

    init(_ backend: FarBackend, mayCount: Int) { (self.backend, self.mayCount) = (backend, mayCount) }

    mutating func look(at station: TestStation) async throws {
        for entry in try await station.entries() where entry.attempts > mayCount && exceeded.insert(entry.id).inserted {
            problems.append("\(entry.attempts) attempts were counted, at most \(mayCount) are allowed: \(entry)")
        }
    }

    /// Final checks: nothing lost, nothing delivered that is not there, no duplicate without a recorded doubt, no attempt counted wrongly, and order
    /// within a lane.
    mutating func conclude(_ station: TestStation, _ caretaker: Caretaker, handedIn: Int, _ outcome: inout Outcome) async throws {
        try await look(at: station)
        let rows = try await station.entries().filter { $0.route == backend.route }
        let unfinished = rows.filter { !caretaker.isDone($0) }
        outcome.acknowledged += handedIn
        if rows.count != handedIn || !unfinished.isEmpty {
            outcome.lost += handedIn - rows.count + unfinished.count
            problems.append("\(handedIn) were submitted, \(rows.count) exist, unfinished: \(unfinished.map { "\($0.id) is \($0.state)" })")
        }
        let effects = backend.effects(station.sandbox.ledger, of: handedIn)
        let counts = Dictionary(effects.map { (Samples.id($0).description, 1) }, uniquingKeysWith: +)
        for row in rows where caretaker.isDone(row) && counts[row.id] == nil {
            problems.append("\(row.id) is \(row.state), but the backend does not have it")
        }

        let events = try await Self.events(of: station)
        let doubts = Dictionary(events.filter(Self.isDoubt).map { ($0.entry ?? "", 1) }, uniquingKeysWith: +)
        for (id, count) in counts.sorted(by: { $0.key < $1.key }) where count > 1 {
            let noted = backend.protection == .none ? doubts[id] ?? 0 : 0
            outcome.duplicated += count - 1
            outcome.duplicatedUncertain += min(count - 1, noted)
            if count - 1 > noted { problems.append("\(id) took effect \(count) times, but was recorded as uncertain \(noted) times") }
        }
        for (id, count) in counted(events) where count > mayCount {
            problems.append("\(count) attempts at \(id) were counted, at most \(mayCount) are allowed")
        }
        let aside = events.filter { $0.detail["aside"] != nil }.compactMap(\.entry)
        problems += disorder(effects, handedIn: handedIn, mayBeLate: caretaker.retried.union(aside))
        outcome.failures += problems.map { "\(backend.name): \($0)" }
    }

    /// - Parameter mayBeLate: entries that a person retried or that stepped aside, which later ones may overtake if the lane may skip them.
    private func disorder(_ effects: [Int], handedIn: Int, mayBeLate: Set<String>) -> [String] {
        var seen: Set<Int> = []
        let first = effects.filter { seen.insert($0).inserted }
        // A lane that halts keeps the whole order.
        guard backend.protection == .lookUp else {
            return first == Array(1...handedIn) ? [] : ["entries of a lane that stops at failures arrived in the order \(first)"]
        }
        return (0..<4).compactMap { lane in
            let expected = (1...handedIn).filter { $0 % 4 == lane }
            let order = first.filter { $0 % 4 == lane }
            func kept(_ numbers: [Int]) -> [Int] { numbers.filter { !mayBeLate.contains(Samples.id($0).description) } }
            return Set(order) == Set(expected) && kept(order) == kept(expected)
                ? nil : "lane users/\(5 + lane) arrived in the order \(order), but only \(mayBeLate.sorted()) may be late"
        }
    }

    /// True for an event of a try that may have taken effect.
    private static func isDoubt(_ event: Event) -> Bool {
        guard ["released", "retrying", "held", "dead", "recovered"].contains(event.kind) else { return false }
        switch event.detail["reason"] {
        case "lostAnswer", "serverError", "stopping", "tooLarge": return true
        case "intercepted": return event.detail["status"]?.hasPrefix("2") == true
        default: return event.kind == "recovered"
        }
    }

    /// The most counted attempts of each entry since its submission or a person's retry.
    private func counted(_ events: [Event]) -> [String: Int] {
        var (now, most): ([String: Int], [String: Int]) = ([:], [:])
        for event in events {
            guard let id = event.entry else { continue }
            if event.kind == "retried" { now[id] = 0 }
            // The last counted attempt ends the entry; a look-up does not count.
            let isLast =
                event.kind == "dead" && backend.protection != .lookUp && ["lostAnswer", "serverError"].contains(event.detail["reason"])
            if event.kind == "retrying" || isLast { now[id, default: 0] += 1 }
            most[id] = max(most[id] ?? 0, now[id] ?? 0)
        }
        return most
    }

    private static func events(of station: TestStation) async throws -> [Event] {
        var events: [Event] = []
        try await station.client.events(EventQuery(since: 0)) { event in
            events.append(event)
            return true
        }
        return events
    }
}
