import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

/// Kills the daemon in `homing people add`: the person and the name are accepted together, or neither is.
@Suite struct PeopleAddKillTests {
    private static let wal = "outbox.sqlite-wal"
    private static let asked = "request:after:POST /v1/entries:1"

    private static let places: [String] =
        [asked] + (1...2).flatMap { ["\(asked);write:before:\(wal):\($0)", "\(asked);write:after:\(wal):\($0)"] } + [
            "\(asked);sync:before:\(wal):1", "\(asked);sync:after:\(wal):1", "\(asked);answer:before:HTTP/1.1 201:1",
            "\(asked);answer:after:HTTP/1.1 201:1",
        ]

    private func add(_ number: Int, _ station: TestStation) async throws -> (code: Int32, text: String) {
        try await station.homing(
            "people", "add", "--first-name", "Person", "--last-name", "Number \(number)", "--id", Samples.id(number).description)
    }

    /// The accepted creates, each with exactly one name.
    private func whole(_ station: TestStation, _ place: String) async throws -> Set<String> {
        let entries = try await station.entries()
        let creates = entries.filter { $0.route == "create_managed_user" }
        let named = entries.filter { $0.route == "profile" }.compactMap(\.needs)
        #expect(creates.map(\.id).sorted() == named.sorted(), "\(place)")
        return Set(creates.map(\.id))
    }

    @Test func killedAddAcceptsThePersonWithTheNameOrNeither() async throws {
        let station = try await TestStation.signedInWithPeople()
        // So that no kill interrupts a send, which would leave its outcome unknown.
        _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "to gather"))
        try await station.end(SIGTERM)
        for (offset, place) in Self.places.enumerated() {
            let number = offset + 1
            let told = Mutex<(code: Int32, text: String)>((0, ""))
            try await station.dies(at: place) {
                let answer = try await add(number, station)
                told.withLock { $0 = answer }
            }
            let (code, text) = told.withLock { $0 }
            try await station.start()
            let accepted = try await whole(station, place)
            #expect(accepted.contains(Samples.id(number).description) || code != 0, "\(place): \(text)")
            // The same call again accepts what is missing, and nothing twice.
            let again = try await add(number, station)
            #expect(again.code == 0, "\(place): \(again.text)")
            #expect(try await whole(station, place) == Set((1...number).map { Samples.id($0).description }), "\(place)")
            try await station.end(SIGTERM)
        }

        try await station.start()
        _ = try await station.client.call(Endpoints.resume, ResumeRequest())
        let count = Self.places.count
        try await station.event("delivered", count: 2 * count)
        let ledger = station.sandbox.ledger
        #expect(Set(ledger.created).count == count && ledger.created.count == count)
        var model = PeopleModel()
        for number in 1...count { model.add(PeopleModel.Person(create: number, profiles: [number])) }
        let judgement = model.judge(ledger.arrivals)
        #expect(judgement.problems.isEmpty && judgement.homes.count == count, "\(judgement.problems)")
        for number in 1...count {
            let user = try #require(judgement.homes[number])
            #expect(try await station.entry(number).remoteID == "\(user)")
        }
        try await station.end(SIGTERM)
    }
}
