import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

/// A submission for a person opens only the page where the person was found before.
@Suite struct RosterPlacesTests {
    private static let people = RosterKey(destination: Samples.destination, resource: "people")

    private func change(_ store: Store, _ account: AccountID?) throws {
        try store.outbox.apply(SessionChange(backend: "breathesafe", record: Data("{}".utf8), account: account))
    }

    private func save(_ store: Store, _ pages: [[RosterRow]], of resource: String = "people") async throws {
        _ = try await store.outbox.store(RosterRead(pages, of: resource, at: store.clock.now), at: store.clock.now)
    }

    private func signedIn(_ pages: [[RosterRow]]) async throws -> Store {
        let store = try Store()
        try change(store, "1")
        try await save(store, pages)
        return store
    }

    /// Nil without a readable list; a list without the row gives "none".
    private func label(_ store: Store, of id: RosterID, in resource: String = "people") async throws -> String? {
        let key = RosterKey(destination: Samples.destination, resource: resource)
        let found = try await store.outbox.standing(StandingQuestion(of: id, in: key, deletedBy: [], at: Samples.destination))
        return found.list.map { $0.label ?? "none" }
    }

    @Test func opensOnlyThePageOfAKnownRow() async throws {
        let store = try await signedIn([[.sample(1, "Zoë")], [.sample(2, "Bob"), .sample(3, "Eve")]])
        #expect(try await label(store, of: "2") == "Bob")
        try store.raw { try $0.execute(sql: "UPDATE rosterPage SET sealed = zeroblob(60) WHERE page = 1") }
        #expect(try await label(store, of: "2") == "Bob")
        // Only the page is known, not the row.
        #expect(try await label(store, of: "3") == nil)
        #expect(try await label(store, of: "9") == nil)
    }

    @Test func followsAChangedList() async throws {
        let store = try await signedIn([[.sample(1, "Zoë")], [.sample(2, "Bob")], [.sample(3, "Eve")]])
        for (id, name) in [("1", "Zoë"), ("2", "Bob"), ("3", "Eve")] as [(RosterID, String)] {
            #expect(try await label(store, of: id) == name)
        }
        try await save(store, [[.sample(2, "Robert")], [.sample(1, "Zoë Z")]])
        #expect(try await label(store, of: "2") == "Robert")
        #expect(try await label(store, of: "1") == "Zoë Z")
        #expect(try await label(store, of: "3") == "none")
    }

    @Test func tellsListsApart() async throws {
        let store = try await signedIn([[.sample(1, "Zoë")], [.sample(2, "Bob")]])
        try await save(store, [[.sample(3)], [.sample(2, "A task")]], of: "tasks")
        #expect(try await label(store, of: "2") == "Bob")
        #expect(try await label(store, of: "2", in: "tasks") == "A task")
        #expect(try await label(store, of: "1", in: "tasks") == "none")
        #expect(try await label(store, of: "2") == "Bob")
    }

    /// The list after the next sign-in has the revision, the number and the pages of the one before.
    @Test func forgetsAtSignOut() async throws {
        let store = try await signedIn([[.sample(1, "Zoë")], [.sample(2, "Bob")]])
        #expect(try await label(store, of: "2") == "Bob")
        #expect(store.outbox.rosterPlaces.page(of: "2", in: Self.people) == 2)
        try change(store, nil)
        #expect(store.outbox.rosterPlaces.page(of: "2", in: Self.people) == nil)
        #expect(try await label(store, of: "2") == nil)
        try change(store, "1")
        try await save(store, [[.sample(1, "Ann")], [.sample(2, "Ben")]])
        #expect(try await label(store, of: "2") == "Ben")
    }

    /// The ids of rows are sought as they are sealed.
    @Test(arguments: ["5", "\"", "\\", "é\n", "e\u{301}", "55", "[", "\"5\""] as [RosterID])
    func findsIDsOfAnyText(id: RosterID) async throws {
        let others = (10...40).map { RosterRow.sample($0, "[\"5\",\"x") }
        let row = RosterRow(id: id, label: "Sought", folded: "sought", kept: ["5", "[\"5\","])
        let store = try await signedIn([others, [row]])
        #expect(try await label(store, of: id) == "Sought")
        #expect(try await label(store, of: "6") == "none")
    }

    @Test func keepsABoundedNumberOfPlaces() {
        let places = RosterPlaces()
        for number in 1...25_000 { places.note(1, of: RosterID("\(number)"), in: Self.people) }
        #expect((1...25_000).count { places.page(of: RosterID("\($0)"), in: Self.people) != nil } <= 10_000)
        #expect(places.page(of: "25000", in: Self.people) == 1)
    }
}
