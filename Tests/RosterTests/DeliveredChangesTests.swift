import Backends
import Foundation
import Outbox
import SyncModel
import TestSupport
import Testing

@testable import Roster

/// With the shipped profile of BreatheSafe.
struct DeliveredChangesTests {
    private static let owner = Destination(backend: "breathesafe", account: "1")
    private static let key = RosterKey(destination: owner, resource: "managed_users")
    private static let began = Date(timeIntervalSince1970: 1_795_262_400)
    private let backend: Backend

    init() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let shipped = tests.deletingLastPathComponent().appendingPathComponent("config/backends").path
        let backends = try ProfileLibrary.load(directory: shipped, deviceID: "d", version: "1")
        backend = try #require(backends.first { $0.name == "breathesafe" })
    }

    private static func mutation(
        _ number: Int, _ route: String, names: String? = #"{"first_name":"Anna","last_name":"Example"}"#, of subject: RosterID? = nil,
        creates: String? = nil
    ) -> Mutation {
        Mutation(
            id: Samples.id(number), destination: owner, lane: "l", route: route, payload: names.map { Data($0.utf8) }, capturedAt: began,
            subject: subject, creates: creates)
    }

    private func changes(_ mutations: [Mutation]) -> DeliveredChanges {
        var changes = DeliveredChanges()
        changes.sessionChanged(at: "breathesafe", to: "1", revision: 1)
        for mutation in mutations { changes.add(mutation, of: backend) }
        return changes
    }

    private static let create = mutation(1, "create_managed_user", creates: "managed_users")
    private static let names: [JSONValue?] = ["Anna", "Example"]

    @Test func keepsTheNameOfANewRowWhicheverEntryHasIt() {
        #expect(changes([Self.create])[Self.key] == [Samples.id(1): .named(create: Samples.id(1), parts: Self.names)])
        let second = Self.mutation(2, "profile", of: RosterID(createdBy: Samples.id(1)))
        #expect(changes([second])[Self.key] == [Samples.id(2): .named(create: Samples.id(1), parts: Self.names)])
        // Its name is in a second entry.
        let nameless = Self.mutation(3, "create_managed_user", names: nil, creates: "managed_users")
        #expect(changes([nameless])[Self.key] == [Samples.id(3): .named(create: Samples.id(3), parts: [nil, nil])])
    }

    @Test func keepsDeletedRowsAndNothingElse() {
        let deletion = Self.mutation(1, "delete_managed_user", names: nil, of: "28")
        #expect(changes([deletion])[Self.key] == [Samples.id(1): .deleted("28")])
        let others = [Self.mutation(2, "measurement", of: "28"), Self.mutation(3, "profile", of: "28")]
        #expect(changes(others)[Self.key].isEmpty)
    }

    @Test func listThatBeganToBeReadLaterHasTheChange() {
        var changes = changes([])
        changes.beginRead(of: Self.key)
        changes.add(Self.create, of: backend)
        changes.endRead(of: Self.key)
        let other = RosterKey(destination: Self.owner, resource: "others")
        changes.beginRead(of: other)
        changes.endRead(of: other)
        #expect(changes[Self.key].count == 1)
        // A read that fails stores nothing.
        changes.beginRead(of: Self.key)
        #expect(changes[Self.key].count == 1)
        changes.beginRead(of: Self.key)
        changes.endRead(of: Self.key)
        #expect(changes[Self.key].isEmpty)
    }

    @Test(
        arguments: [("breathesafe", "1", 1), ("breathesafe", "2", 0), ("breathesafe", nil, 0), ("lists", nil, 1)]
            as [(String, String?, Int)])
    func namesEndWithTheSession(name: String, account: String?, left: Int) {
        var changes = changes([Self.create])
        changes.endRead(of: Self.key)
        changes.sessionChanged(at: name, to: account.map { AccountID($0) }, revision: 2)
        #expect(changes[Self.key].count == left)
        // Late answers, and late news of an earlier session.
        changes.add(Self.mutation(2, "create_managed_user", creates: "managed_users"), of: backend)
        changes.endRead(of: Self.key)
        changes.sessionChanged(at: name, to: "1", revision: 1)
        changes.add(Self.mutation(3, "create_managed_user", creates: "managed_users"), of: backend)
        #expect(changes[Self.key].count == left * 3)
    }

    @Test func oldestChangesGoFirst() {
        let creates = (0...DeliveredChanges.most).map { Self.mutation($0, "create_managed_user", creates: "managed_users") }
        let kept = changes(creates + [creates[5]])[Self.key]
        #expect(kept.count == DeliveredChanges.most && kept[Samples.id(0)] == nil && kept[Samples.id(5)] != nil)
    }
}
