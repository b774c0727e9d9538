import ControlAPI
import Delivery
import Foundation
import Sandbox
import StationSupport

extension NetworkCampaign {
    /// For a while nothing gets through, and every answer is the network's or asks for quiet; then the truth, and perhaps a session that has
    /// ended meanwhile. Whatever the backend behind, no attempt is counted.
    ///
    /// - Parameters:
    ///   - backend: nil for any.
    ///   - chosen: the lies; nil for some.
    func weather(
        seed: UInt64, overTLS: Bool, before backend: FarBackend? = nil, telling chosen: [Lie]? = nil, _ outcome: inout Outcome
    ) async throws {
        var dice = SplitMix64(seed: seed)
        let backend = backend ?? FarBackend.all.randomElement(using: &dice) ?? .breatheSafe
        // The lies delay only the connection. A late answer would count as an attempt, and only a slow machine makes one late.
        let lying = try await LyingStation(
            backend, overTLS: overTLS, seed: seed, edits: [], timeouts: "connect: 1, request: 600, exchange: 600")
        let (station, way) = (lying.station, lying.way)
        try await backend.prepare(station)
        var lies = Lie.weather(overTLS: overTLS).shuffled(using: &dice)
        lies.removeLast(Int.random(in: 0..<lies.count - 2, using: &dice))
        // A mere 503 may be the backend's own. Where its health route is lied about as well, it is ill, and nothing counts; where there is none,
        // the first one of an entry does.
        if chosen == nil, Bool.random(using: &dice) { lies.append(.unavailable) }
        lies = chosen ?? lies
        var judge = LieJudge(backend, mayCount: lies.contains(.unavailable) && !backend.hasHealth && backend.protection != .person ? 1 : 0)
        var caretaker = Caretaker(backend)

        // Between two runs, so that nothing is on its way when the weather changes: what is cut off there may count.
        try await station.end(SIGTERM)
        way.tell(lies, always: true, openly: true)
        try await station.start()
        let handedIn = 12
        for number in 1...handedIn { _ = try await station.client.call(Endpoints.submit, backend.submission(number)) }
        let limit = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < limit, lies.contains(where: { way.met[$0] == nil }) {
            _ = try await station.client.call(Endpoints.sync, SyncRequest())
            try await judge.look(at: station)
            if backend.protection == .person { try await caretaker.sees(to: station, handedIn: handedIn) }
            try await Task.sleep(for: .milliseconds(50))
        }
        if try await station.report().queue.dead > 0 { outcome.failures.append("\(backend.name): \(lies) have made something dead") }
        if way.met.isEmpty { outcome.failures.append("\(backend.name): none of \(lies) was met") }
        for lie in lies where way.met[lie] == nil { outcome.counted("not met in time: \(lie) before \(backend.name)") }
        for (lie, count) in way.met { outcome.met("nothing but \(overTLS ? "tls " : "")\(lie)", count) }

        try await station.end(SIGTERM)
        way.tell([])
        if Bool.random(using: &dice) { station.sandbox.expireSessions() }
        try await station.start()
        if try await !settles(station, &caretaker, &judge, handedIn: handedIn, &outcome) {
            outcome.failures.append("\(backend.name): not all is delivered after \(lies)")
        }
        outcome.counted("nothing but weather before \(backend.name)")
        try await judge.conclude(station, caretaker, handedIn: handedIn, &outcome)
        try await lying.stop()
    }
}
