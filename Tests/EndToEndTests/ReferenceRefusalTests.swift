import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// A reference that can never stand for a person of this account is refused, and nothing is accepted.
@Suite struct ReferenceRefusalTests {
    private static let anna = TestStation.reference(to: 1)

    /// Submits entry `number` for `user` over each route, and expects a refusal that changes nothing.
    private func expectRefused(
        _ user: String, _ station: TestStation, number: Int, mentioning name: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try await station.entries().map(\.id)
        let submissions: [@Sendable () async throws -> SubmissionReceipt] = [
            { try await station.measure(user, number) }, { try await station.nameUser(user, number) },
            { try await station.testFit(user, number) },
        ]
        for submission in submissions {
            let problem = await #expect(throws: Problem.self, "\(user)", sourceLocation: sourceLocation) { try await submission() }
            #expect(problem.map { (400..<500).contains($0.status) && !$0.detail.isEmpty } == true, sourceLocation: sourceLocation)
            guard let name, let problem else { continue }
            let text = "\(problem.detail) \(problem.next ?? "")"
            let isNamed = text.contains("The field \"user_id\" is @") && text.contains(EntryName.short(name))
            #expect(isNamed, "\(text)", sourceLocation: sourceLocation)
        }
        #expect(try await station.entries().map(\.id) == before, sourceLocation: sourceLocation)
    }

    @Test func referenceToUnknownEntryIsRefused() async throws {
        let station = try await TestStation.signedInWithPeople()
        try await expectRefused(TestStation.reference(to: 99), station, number: 2, mentioning: Samples.id(99).description)
        // An entry's own id is unknown until it is accepted.
        try await expectRefused(TestStation.reference(to: 2), station, number: 2)
        try station.directory.write(String(decoding: TestStation.measurement(1), as: UTF8.self), to: "a.json")
        let told = try await station.homing("submit", station.directory("a.json"), "--user", TestStation.reference(to: 99))
        #expect(told.code != 0, "\(told.text)")
        #expect(try await station.entries().isEmpty && station.sandbox.ledger.entries.isEmpty)
        try await station.end(SIGTERM)
    }

    @Test func referenceToEntryThatCreatesNothingIsRefused() async throws {
        let station = try await TestStation.signedInWithPeople()
        try await station.measure("7", 1)
        try await station.settled(1, as: "delivered")
        try await expectRefused(Self.anna, station, number: 2, mentioning: Samples.id(1).description)
        await station.sandbox.down()
        try await station.measure("7", 3)
        try await expectRefused(TestStation.reference(to: 3), station, number: 4, mentioning: Samples.id(3).description)
        try await station.end(SIGTERM)
    }

    /// Only the command line takes short ids.
    @Test func malformedReferenceIsRefused() async throws {
        let station = try await TestStation.signedInWithPeople()
        try await station.pauseSending()
        try await station.create(1)
        let id = Samples.id(1).description
        for user in ["@", "@1", "@\(EntryName.short(id))", "@anna", "@@\(id)", "@\(id)1", "@\(id.dropLast())", "@{\(id)}", id] {
            try await expectRefused(user, station, number: 2)
        }
        try await station.end(SIGTERM)
    }

    @Test func anotherAccountNeitherSendsNorUsesTheReference() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.down()
        try await station.create(1)
        try await station.measure(Self.anna, 2)
        try await station.nameUser(Self.anna, 3)
        #expect(try await station.homing("logout", "--yes").code == 0)
        try await station.sandbox.up()
        try await station.login("other@lab.test")
        try await expectRefused(Self.anna, station, number: 8)
        try await station.measure("10", 4)
        try await station.create(5)
        try await station.measure(TestStation.reference(to: 5), 6)
        try await station.allSettled(4...6)
        let ledger = station.sandbox.ledger
        #expect(ledger.entries.count == 3 && Set(ledger.entries.map(\.account)) == [2])
        for number in 1...3 { #expect(try await station.entry(number).state == "pending") }

        #expect(try await station.homing("logout", "--yes").code == 0)
        try await station.login()
        try await station.allSettled(1...3)
        #expect(ledger.entries.dropFirst(3).allSatisfy { $0.account == 1 } && ledger.mixed.isEmpty)
        let (theirs, mine) = (try #require(ledger.created.first), try #require(ledger.created.last))
        #expect(ledger.created.count == 2 && theirs != mine)
        #expect(ledger.arrivals.filter { $0.user == mine }.compactMap(\.number).sorted() == [2, 3])
        #expect(ledger.arrivals.filter { $0.user == theirs }.compactMap(\.number) == [6])

        // Also after the delivery.
        try await expectRefused(TestStation.reference(to: 5), station, number: 9)
        try await station.end(SIGTERM)
    }

    /// The reference is bound, but its account is signed out.
    @Test func boundEntriesAreNotSentUnderAnotherAccount() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.apply(.error(423, path: "facial_measurements_from_arkit", count: 1))
        try await station.create(1)
        try await station.measure(Self.anna, 2)
        try await station.settled(1, as: "delivered")
        try await station.met(.error)
        let user = try #require(station.sandbox.ledger.created.first)
        #expect(try await station.homing("logout", "--yes").code == 0)
        try await station.login("other@lab.test")
        try await station.measure("10", 3)
        try await station.settled(3, as: "delivered")
        try await expectRefused(Self.anna, station, number: 8)
        #expect(try await station.entry(2).state == "pending")
        #expect(try await station.homing("logout", "--yes").code == 0)
        try await station.login()
        try await station.sync()
        try await station.settled(2, as: "delivered")
        let ledger = station.sandbox.ledger
        #expect(ledger.arrivals.last?.number == 2 && ledger.arrivals.last?.user == user)
        #expect(ledger.entries.allSatisfy { $0.account == ($0.user == 10 ? 2 : 1) } && ledger.mixed.isEmpty)
        for request in ledger.requests where request.path.hasPrefix("/users/\(user)/") {
            #expect([request.account, request.rememberedAccount].compactMap(\.self).allSatisfy { $0 == 1 })
        }
        try await station.end(SIGTERM)
    }
}
