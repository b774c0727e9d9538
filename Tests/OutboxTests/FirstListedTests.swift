import Foundation
import StoreSupport
import SyncModel
import TestSupport
import Testing
import Vault

@testable import Outbox

/// A row that was listed before a person was created cannot be the new one.
@Suite struct FirstListedTests {
    private static let key = RosterKey(destination: Samples.destination, resource: "people")

    private func signedIn() throws -> Store {
        let store = try Store()
        try store.outbox.apply(SessionChange(backend: "breathesafe", record: Data("{}".utf8), account: "1", rosters: .follows))
        return store
    }

    /// Stores a read that ends now; returns that time.
    @discardableResult
    private func save(
        _ store: Store, _ pages: [[RosterRow]?], rule: String = "rule", incomplete: Incompleteness? = nil
    ) async throws -> Date {
        let now = store.clock.now
        _ = try await store.outbox.store(RosterRead(pages, rule: rule, incomplete: incomplete, at: now), at: now)
        store.clock.advance(by: 60)
        return now
    }

    private func listed(_ store: Store) async throws -> [RosterID: Date] { try await store.outbox.firstListed(in: Self.key) }

    @Test func rowsKeepTheirTime() async throws {
        let store = try signedIn()
        #expect(try await listed(store) == [:])
        let first = try await save(store, [[.sample(1), .sample(2)], [.sample(3)]])
        #expect(try await listed(store) == ["1": first, "2": first, "3": first])
        // Moved to another page, under another name, and beside a page that the server calls unchanged.
        let second = try await save(store, [[.sample(4), .sample(2, "Bob")], [.sample(1)], [.sample(3)]])
        #expect(try await listed(store) == ["1": first, "2": first, "3": first, "4": second])
        let third = try await save(store, [nil, nil, [.sample(5), .sample(3)]])
        #expect(try await listed(store) == ["1": first, "2": first, "3": first, "4": second, "5": third])
        try await save(store, [nil, nil, nil])
        #expect(try await listed(store)["5"] == third)
        // It has gone, and comes back.
        try await save(store, [[.sample(1)]])
        let last = try await save(store, [[.sample(1), .sample(2)]])
        #expect(try await listed(store) == ["1": first, "2": last])
    }

    @Test func rowMissingInAnIncompleteReadKeepsItsTime() async throws {
        let store = try signedIn()
        let first = try await save(store, [[.sample(1), .sample(2)]])
        for _ in 1...2 { try await save(store, [[.sample(1)]], incomplete: .changing) }
        try await save(store, [[.sample(1), .sample(2)]])
        #expect(try await listed(store) == ["1": first, "2": first])
    }

    /// Its ids may mean other rows.
    @Test func listOfAnotherRuleIsNew() async throws {
        let store = try signedIn()
        try await save(store, [[.sample(1)]])
        let second = try await save(store, [[.sample(1)]], rule: "another")
        #expect(try await listed(store) == ["1": second])
    }

    /// The clock was set back after the send.
    @Test func newRowIsNotOlderThanTheLastSend() async throws {
        let store = try signedIn()
        let first = try await save(store, [[.sample(1)]])
        try await store.enqueue(Samples.create(1))
        let sent = try #require(try await store.claim().first?.claimedAt)
        store.clock.step(to: sent.addingTimeInterval(-3600))
        try await save(store, [[.sample(1), .sample(2)]])
        #expect(try await listed(store) == ["1": first, "2": sent])
    }

    @Test func pageHoldsOneTimeForMostRows() throws {
        let (early, late) = (Date(ms: 1_000), Date(ms: 2_000))
        let rows: [RosterRow] = [.sample(1), .sample(2), .sample(3)]
        let times: [RosterID: Date] = ["1": early, "2": late, "3": early, "9": early]
        let page = CachedPage(etag: nil, rows: rows, firstListed: times)
        #expect(page.firstListed(orElse: .distantPast) == times)
        let text = String(decoding: page.plain, as: UTF8.self)
        #expect(text.contains(#""since":1000"#) && text.contains(#""others":[["2",2000],["9",1000]]"#), "\(text)")
        #expect(page.rows == rows)
        let old = CachedPage(etag: nil, rows: rows)
        #expect(old.firstListed(orElse: late) == ["1": late, "2": late, "3": late])
    }
}
