import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// A person is created and measured while offline; the server's id is known only later.
@Suite struct ReferenceTests {
    private static let anna = TestStation.reference(to: 1)

    @Test func entriesMadeOfflineArriveInOrderAtTheNewPerson() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.down()
        let created = try await station.create(1)
        #expect(!created.duplicate && created.then == nil)
        let accepted = try await station.measure(Self.anna, 2)
        #expect(accepted.warning == nil && accepted.subject?.id == Self.anna)
        try await station.measure(Self.anna, 3)
        try await station.nameUser(Self.anna, 4)
        try await station.testFit(Self.anna, 5)
        try await station.measure("7", 6)
        for number in 2...5 {
            let waiting = try await station.entry(number)
            #expect(waiting.state == "pending" && waiting.needs == Samples.id(1).description, "\(waiting)")
            #expect(waiting.subject?.id == Self.anna, "\(waiting)")
        }
        let why = try await station.homing("why", Samples.id(2).description)
        #expect(why.text.contains(EntryName.short(Samples.id(1).description)), "\(why.text)")

        try await station.sandbox.up()
        try await station.sync()
        try await station.allSettled(1...6)
        let ledger = station.sandbox.ledger
        let user = try #require(ledger.created.first)
        #expect(ledger.created.count == 1 && ![5, 7, 9, 10].contains(user))
        let create = try #require(ledger.arrivals.firstIndex { $0.kind == .create })
        for number in 2...5 {
            let place = try #require(ledger.place(of: number))
            #expect(place > create, "entry \(number)")
        }
        #expect(ledger.arrivals.filter { $0.number != nil }.allSatisfy { $0.user == ($0.number == 6 ? 7 : user) }, "\(ledger.arrivals)")
        #expect(ledger.arrivals.count == 6)
        let (first, second, fit) = (ledger.place(of: 2) ?? 0, ledger.place(of: 3) ?? 0, ledger.place(of: 5) ?? 0)
        #expect(first < second && second < fit)
        #expect(ledger.paths(outside: [7, user]).isEmpty)

        #expect(try await station.entry(1).remoteID == "\(user)")
        for number in 2...5 {
            #expect(try await station.entry(number).subject?.id == "\(user)")
            let receipt = try await station.receipt(number)
            #expect(receipt.subject?.id == "\(user)" && receipt.subject?.reference == Self.anna, "\(receipt)")
        }
        try await station.end(SIGTERM)
    }

    @Test func entriesOfTwoNewPeopleDoNotMix() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.down()
        let people = [10, 20]
        for create in people { try await station.create(create) }
        for step in 1...4 { for create in people { try await station.measure(TestStation.reference(to: create), create + step) } }
        for create in people { try await station.testFit(TestStation.reference(to: create), create + 5) }
        for create in people { try await station.nameUser(TestStation.reference(to: create), create + 6) }
        try await station.sandbox.up()
        try await station.sync()
        for create in people { try await station.allSettled(create...create + 6) }

        let ledger = station.sandbox.ledger
        #expect(Set(ledger.created).count == 2 && ledger.created.count == 2)
        for create in people {
            let user = try #require(try await station.entry(create).remoteID.flatMap { Int($0) })
            #expect(ledger.created.contains(user))
            let mine = ledger.arrivals.filter { $0.kind != .create && $0.user == user }
            #expect(Set(mine.compactMap(\.number)) == Set(create + 1...create + 6), "\(ledger.arrivals)")
            #expect(mine.filter { $0.kind == .measurement }.map(\.number) == Array(create + 1...create + 4))
        }
        #expect(ledger.arrivals.count == 14 && ledger.paths(outside: ledger.created).isEmpty)
        try await station.end(SIGTERM)
    }

    /// The server has the person already, but only the answer says which one it is.
    @Test func nothingIsSentForThePersonBeforeTheAnswerToTheCreate() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.apply(Fault(.slow, path: "managed_users", method: "POST", count: 1) { $0.milliseconds = 3_600_000 })
        try await station.create(1)
        try await station.measure(Self.anna, 2)
        try await station.nameUser(Self.anna, 3)
        try await station.met(.slow)
        try await station.measure("7", 4)
        try await station.settled(4, as: "delivered")
        let ledger = station.sandbox.ledger
        #expect(ledger.created.count == 1 && ledger.paths(outside: [7]).isEmpty)
        for number in 2...3 { #expect(try await station.entry(number).state == "pending") }
        station.sandbox.clearFaults()
        try await station.allSettled(1...3)
        #expect(ledger.paths(outside: [7] + ledger.created).isEmpty && ledger.created.count == 1)
        try await station.end(SIGTERM)
    }

    @Test func dayOfWorkSurvivesARestartOffline() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.down()
        // A kill in a send would leave its outcome unknown, also offline.
        _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "offline"))
        try await station.create(1)
        try await station.end(SIGKILL)
        try await station.start()
        try await station.measure(Self.anna, 2)
        try await station.end(SIGTERM)
        try await station.start()
        try await station.measure(Self.anna, 3)
        try await station.sandbox.up()
        _ = try await station.client.call(Endpoints.resume, ResumeRequest())
        try await station.sync()
        try await station.allSettled(1...3)
        let ledger = station.sandbox.ledger
        #expect(ledger.arrivals.map(\.number) == [nil, 2, 3] && Set(ledger.arrivals.map(\.user)).count == 1)
        try await station.end(SIGTERM)
    }

    /// One person, addressed in two ways.
    @Test func referenceAndRealIDKeepTheOrderOfAcceptance() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.apply(.error(423, path: "facial_measurements_from_arkit"))
        try await station.create(1)
        try await station.measure(Self.anna, 2)
        try await station.settled(1, as: "delivered")
        let user = try #require(station.sandbox.ledger.created.first)
        try await until {
            let entry = try await station.entry(2)
            return entry.state == "pending" && entry.lastStatus == 423
        }
        try await station.measure("\(user)", 3)
        try await station.testFit("\(user)", 4)
        try await station.measure(Self.anna, 5)
        try await station.measure("\(user)", 6)
        station.sandbox.clearFaults()
        try await station.sync()
        try await station.allSettled(2...6)
        // The lane is empty now.
        try await station.measure("\(user)", 7)
        try await station.measure(Self.anna, 8)
        try await station.allSettled(7...8)

        let ledger = station.sandbox.ledger
        #expect(ledger.arrivals.filter { $0.kind == .measurement }.map(\.number) == [2, 3, 5, 6, 7, 8])
        let (third, fit) = (ledger.place(of: 3) ?? 0, ledger.place(of: 4) ?? 0)
        #expect(third < fit)
        #expect(ledger.arrivals.allSatisfy { $0.user == user })
        try await station.end(SIGTERM)
    }

    @Test func sameSubmissionTwiceIsOneEntry() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.down()
        try await station.create(1)
        #expect(try await station.create(1).duplicate)
        let first = try await station.measure(Self.anna, 2)
        let again = try await station.measure(Self.anna, 2)
        #expect(!first.duplicate && again.duplicate && again.sequence == first.sequence)
        try await station.sandbox.up()
        try await station.sync()
        try await station.allSettled(1...2)
        #expect(try await station.measure(Self.anna, 2).duplicate)
        #expect(try await station.create(1).duplicate)
        let user = try #require(station.sandbox.ledger.created.first)
        let conflict = await #expect(throws: Problem.self) { try await station.measure("\(user)", 2) }
        #expect(conflict?.code == .idConflict)
        #expect(try await station.entries().count == 2)
        #expect(station.sandbox.ledger.arrivals.count == 2)
        try await station.end(SIGTERM)
    }

    @Test func droppedFileForANewPersonIsDelivered() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.down()
        try await station.create(1)
        let folder = station.directory("state/spool/new/users/\(Self.anna)")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try TestStation.measurement(2).write(to: URL(fileURLWithPath: station.directory("2.json")))
        try FileManager.default.moveItem(atPath: station.directory("2.json"), toPath: "\(folder)/2.json")
        try await until {
            try #require(try await station.status().spool?.refused == 0)
            return try await station.entries().count >= 2
        }
        try await station.sandbox.up()
        try await station.sync()
        try await station.event("delivered", count: 2)
        let ledger = station.sandbox.ledger
        #expect(ledger.arrivals.map(\.kind) == [.create, .measurement] && Set(ledger.arrivals.map(\.user)).count == 1)
        try await station.end(SIGTERM)
    }
}
