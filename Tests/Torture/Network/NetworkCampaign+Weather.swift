import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel

extension NetworkCampaign {
    /// For a while no request succeeds: every response comes from the network or asks to wait. Then the faults end, sometimes together with the
    /// session. No attempt may count at any backend.
    ///
    /// - Parameters:
    ///   - backend: nil for a random one.
    ///   - chosen: the faults; nil for random ones.
    func weather(
        seed: UInt64, overTLS: Bool, before backend: FarBackend? = nil, telling chosen: [Lie]? = nil, _ outcome: inout Outcome
    ) async throws {
        var dice = SplitMix64(seed: seed)
        let backend = backend ?? FarBackend.all.randomElement(using: &dice) ?? .breatheSafe
        // Only connections are delayed, so the timeouts of requests are long: a late response on a slow machine would count as an attempt.
        let lying = try await LyingStation(
            backend, overTLS: overTLS, seed: seed, edits: [], timeouts: "connect: 1, request: 600, exchange: 600")
        let (station, way) = (lying.station, lying.way)
        try await backend.prepare(station)
        var lies = Lie.weather(overTLS: overTLS).shuffled(using: &dice)
        lies.removeLast(Int.random(in: 0..<lies.count - 2, using: &dice))
        // A plain 503 may be the backend's own. If the health route fails too, it does not count. Without a health route, the first one of an entry
        // counts.
        if chosen == nil, Bool.random(using: &dice) { lies.append(.unavailable) }
        lies = chosen ?? lies
        var judge = LieJudge(backend, mayCount: lies.contains(.unavailable) && !backend.hasHealth && backend.protection != .person ? 1 : 0)
        var caretaker = Caretaker(backend)

        // The faults begin between two runs, since a request that is cut off may count.
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
            try await Task.sleep(for: .milliseconds(100))
        }
        if try await station.report().queue.dead > 0 { outcome.failures.append("\(backend.name): entries failed because of \(lies)") }
        if way.met.isEmpty { outcome.failures.append("\(backend.name): none of \(lies) was told") }
        for lie in lies where way.met[lie] == nil { outcome.counted("not reached in time: \(lie) in front of \(backend.name)") }
        for (lie, count) in way.met { outcome.met("only \(overTLS ? "tls " : "")\(lie)", count) }

        try await station.end(SIGTERM)
        way.tell([])
        if Bool.random(using: &dice) { station.sandbox.expireSessions() }
        try await station.start()
        if try await !settles(station, &caretaker, &judge, handedIn: handedIn, &outcome) {
            outcome.failures.append("\(backend.name): some entries are not delivered after \(lies)")
        }
        outcome.counted("rounds of network faults only in front of \(backend.name)")
        try await judge.conclude(station, caretaker, handedIn: handedIn, &outcome)
        try await lying.stop()
    }
}
