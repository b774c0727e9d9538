import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

@Suite struct ListingTests {
    private static let day = Date(timeIntervalSince1970: 1_765_000_000)

    /// Entries in many states, at two backends, of three routes and four people; captured in another order than accepted.
    private func mixed() async throws -> Store {
        let store = try Store()
        for number in 1...48 {
            var mutation = Samples.mutation(number, lane: "\(number)", at: Self.day.addingTimeInterval(Double(number * 7 % 48)))
            if number % 5 == 0 { mutation.destination = Destination(backend: "lists", account: "1") }
            mutation.route = ["measurement", "note", "rename"][number % 3]
            mutation.subject = ["5", "6", "Anna", nil][number % 4]
            try await store.enqueue(mutation)
        }
        for entry in try await store.claim(6) { try await store.deliver(entry) }
        for entry in try await store.claim(6) { try await store.settle(entry, .dead(Samples.failure), .permanent(Samples.failure)) }
        for number in [40, 45] { try await store.outbox.discard(Samples.id(number), by: "ann", at: store.clock.now) }
        return store
    }

    private static let filters: [EntryFilter] = {
        var filters: [EntryFilter] = []
        for state in [nil, Entry.State.pending, .dead, .held, .delivered] {
            for backend in [nil, "lists", "other"] {
                for subject in [nil, RosterID("5"), "7"] {
                    for route in [nil, "note", "none"] {
                        for (since, until) in [(nil, nil), (10, nil), (nil, 30), (10, 30)] as [(Double?, Double?)] {
                            filters.append(
                                EntryFilter(
                                    state: state, backend: backend, subject: subject, route: route,
                                    since: since.map(day.addingTimeInterval), until: until.map(day.addingTimeInterval)))
                        }
                    }
                }
            }
        }
        return filters
    }()

    private static func matches(_ filter: EntryFilter, _ entry: Entry) -> Bool {
        let captured = entry.mutation.capturedAt
        return (filter.state ?? entry.state) == entry.state && (filter.backend ?? entry.destination.backend) == entry.destination.backend
            && (filter.subject == nil || filter.subject == entry.mutation.subject) && (filter.route ?? entry.route) == entry.route
            && (filter.since ?? captured) <= captured && (filter.until.map { captured < $0 } ?? true)
    }

    @Test func findsEntriesOfEveryCombinationOfFilters() async throws {
        let store = try await mixed()
        let all = try await store.outbox.entries(limit: 100)
        #expect(all.count == 48 && Set(all.map(\.state)) == [.pending, .delivered, .dead, .discarded])
        for filter in Self.filters {
            let expected = all.filter { Self.matches(filter, $0) }.map(\.sequence)
            let newest = try await store.outbox.page(of: filter, after: nil, limit: 5)
            #expect(newest.entries.map(\.sequence) == expected.suffix(5), "\(filter)")
            #expect(newest.total == expected.count && !newest.totalIsLeast, "\(filter)")
            let later = try await store.outbox.page(of: filter, after: 9, limit: 5)
            #expect(later.entries.map(\.sequence) == Array(expected.filter { $0 > 9 }.prefix(5)), "\(filter)")
            #expect(later.total == expected.count, "\(filter)")
        }
    }

    @Test(arguments: [
        (EntryFilter(subject: "5"), "subjectOrder"), (EntryFilter(state: .dead), "stateOrder"),
        (EntryFilter(backend: "lists"), "stateOrder"), (EntryFilter(route: "note"), "routeOrder"),
        (EntryFilter(since: day), "routeOrder"), (EntryFilter(until: day), "routeOrder"),
        (EntryFilter(state: .pending, subject: "6", route: "measurement", since: day), "subjectOrder"),
        (EntryFilter(state: .dead, route: "measurement"), "stateOrder"),
    ])
    func everyFilterIsSearchedByIndex(filter: EntryFilter, index: String) async throws {
        let store = try await mixed()
        for isNewest in [true, false] {
            let plan = try plan(of: filter, isNewest: isNewest, store)
            #expect(plan.contains { $0.hasPrefix("SEARCH entry USING") && $0.contains("INDEX \(index) (") }, "\(plan)")
            #expect(!plan.contains { $0.hasPrefix("SCAN entry") }, "\(plan)")
        }
    }

    private func plan(of filter: EntryFilter, isNewest: Bool, _ store: Store) throws -> [String] {
        try store.raw { db in
            let search = try EntrySearch(filter, db)
            var arguments = search.arguments
            arguments["limit"] = 5
            arguments["after"] = 9
            return try Row.fetchAll(
                db, sql: "EXPLAIN QUERY PLAN \(search.list(ofNewest: isNewest))", arguments: StatementArguments(arguments)
            ).map { $0["detail"] as String }
        }
    }

    /// Copies of entry 1, in lanes of their own: each captured a second before the one accepted before it, and every tenth of the route `note`.
    private func add(_ count: Int, after first: Int, to store: Store) throws {
        try store.raw { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE numbers (n) AS (VALUES (\(first + 1)) UNION ALL SELECT n + 1 FROM numbers WHERE n < \(first + count))
                    INSERT INTO entry (id, backend, account, lane, route, onDead, size, digest, dueAt, capturedAt, acceptedAt, subject)
                    SELECT printf('00000000-0000-7000-8000-%012d', n), backend, account, 'lane ' || n, iif(n % 10, route, 'note'), onDead,
                        size, digest, dueAt, capturedAt - 1000 * (n - 1), acceptedAt, '5' FROM numbers JOIN entry ON entry.sequence = 1
                    """)
        }
    }

    /// To sort the rows of an index that is in another order would take longer than to read the table.
    @Test func manyCapturesAreReadInTheOrderOfAcceptance() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1, at: Self.day))
        try add(11_999, after: 1, to: store)
        let filter = EntryFilter(route: "measurement", until: Self.day.addingTimeInterval(-500))
        let newest = try await store.outbox.page(of: filter, after: nil, limit: 3)
        #expect(newest.entries.map(\.sequence) == [11_997, 11_998, 11_999] && newest.totalIsLeast)
        let later = try await store.outbox.page(of: filter, after: 509, limit: 3)
        #expect(later.entries.map(\.sequence) == [511, 512, 513] && later.total == 10_000)
        #expect(try await store.outbox.page(of: filter, after: 0, limit: 1).entries.map(\.sequence) == [502])
        let few = EntryFilter(route: "note", until: Self.day.addingTimeInterval(-500))
        #expect(try await store.outbox.page(of: few, after: nil, limit: 2).entries.map(\.sequence) == [11_990, 12_000])
        for isNewest in [true, false] {
            let (many, sorted) = (try plan(of: filter, isNewest: isNewest, store), try plan(of: few, isNewest: isNewest, store))
            #expect(!many.contains { $0.contains("TEMP B-TREE") || $0.contains("routeOrder") }, "\(many)")
            #expect(sorted.contains { $0.contains("TEMP B-TREE") } && sorted.contains { $0.contains("routeOrder") }, "\(sorted)")
        }
    }

    @Test func countEndsAtTenThousand() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try add(9_999, after: 1, to: store)
        let filters = [EntryFilter(), EntryFilter(state: .pending), EntryFilter(until: Self.day.addingTimeInterval(1))]
        for filter in filters {
            let page = try await store.outbox.page(of: filter, after: nil, limit: 1)
            #expect(page.total == 10_000 && !page.totalIsLeast && page.entries.map(\.sequence) == [10_000])
        }
        try add(2, after: 10_000, to: store)
        for filter in filters + [EntryFilter(subject: "5")] {
            let page = try await store.outbox.page(of: filter, after: nil, limit: 1)
            #expect(page.total == 10_000 && page.totalIsLeast && page.entries.map(\.sequence) == [10_002])
        }
    }

    @Test func referenceAndItsRowAreOnePerson() async throws {
        let store = try Store()
        var create = Samples.mutation(1, lane: "new")
        create.creates = "managed_users"
        try await store.enqueue(create)
        let captures: [(Int, AccountID, RosterID)] = [(2, "1", RosterID(createdBy: create.id)), (3, "1", "7"), (4, "2", "7")]
        for (number, account, subject) in captures {
            var capture = Samples.mutation(number, lane: "\(number)", account: account)
            (capture.subject, capture.reference) = (subject, "managed_users")
            try await store.enqueue(capture)
        }
        func found(_ subject: RosterID) async throws -> [Int64] {
            let page = try await store.outbox.page(of: EntryFilter(subject: subject), after: nil, limit: 10)
            #expect(page.total == page.entries.count)
            return page.entries.map(\.sequence)
        }
        #expect(try await found(RosterID(createdBy: create.id)) == [2])
        #expect(try await found("7") == [3, 4])
        var other = Samples.mutation(5, lane: "5")
        (other.subject, other.reference) = ("7", "fit_tests")
        try await store.enqueue(other)
        #expect(try await found("7") == [3, 4, 5])
        var filter = EntryFilter(subject: "7")
        filter.resources = [other.destination.backend: ["managed_users"]]
        #expect(try await store.outbox.page(of: filter, after: nil, limit: 10).entries.map(\.sequence) == [3, 4])
        #expect(try await found(RosterID(createdBy: create.id)) == [2])
        #expect(try await store.outbox.page(of: EntryFilter(), after: 0, limit: 10).blockers == [Samples.id(2): create.id])
        let claimed = try #require(try await store.claim().first)
        #expect(claimed.id == create.id && Samples.receipt.remoteID == "7")
        try await store.deliver(claimed)
        #expect(try await store.outbox.page(of: EntryFilter(), after: 0, limit: 10).blockers.isEmpty)
        #expect(try await found("7") == [2, 3, 4, 5])
        // The other account's person is another one.
        #expect(try await found(RosterID(createdBy: create.id)) == [2, 3])
    }

    @Test func namesTheEntryThatAPendingOneWaitsBehind() async throws {
        let store = try Store()
        for number in 1...3 { try await store.enqueue(Samples.mutation(number)) }
        try await store.enqueue(Samples.mutation(4, lane: "other"))
        var later = Samples.mutation(5, lane: "later")
        later.after = "users/5"
        try await store.enqueue(later)
        let ids = [2: 1, 3: 1, 5: 3].map { (Samples.id($0), Samples.id($1)) }
        let page = try await store.outbox.page(of: EntryFilter(), after: 0, limit: 10)
        #expect(page.blockers == Dictionary(uniqueKeysWithValues: ids))
        #expect(try await store.outbox.page(of: EntryFilter(), after: 3, limit: 1).blockers.isEmpty)
    }
}
