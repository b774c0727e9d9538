import Foundation
import GRDB
import StoreSupport
import SyncModel
import Synchronization
import TestSupport
import Testing
import Vault

@testable import Outbox

@Suite struct RosterStoreTests {
    private static let key = RosterKey(destination: Samples.destination, resource: "people")
    private static let rule = Data("rule".utf8)

    private func signedIn() throws -> Store {
        let store = try Store()
        try change(store, "1")
        return store
    }

    private func change(_ store: Store, _ account: AccountID?, _ fate: RosterFate = .follows) throws {
        try store.outbox.apply(SessionChange(backend: "breathesafe", record: Data("{}".utf8), account: account, rosters: fate))
    }

    @discardableResult
    private func save(_ store: Store, _ pages: [[RosterRow]?], of resource: String = "people") async throws -> RosterStored {
        try await store.outbox.store(RosterRead(pages, of: resource, at: store.clock.now), at: store.clock.now)
    }

    private func rows(_ store: Store, _ resource: String = "people", most: Int = .max) async throws -> [RosterRow]? {
        let found = Mutex<[RosterRow]>([])
        let key = RosterKey(destination: Samples.destination, resource: resource)
        let head = try await store.outbox.scanRoster(key) { row in
            found.withLock { rows in
                rows.append(RosterRow(id: row.id, label: row.label, folded: row.folded, kept: row.kept))
                return rows.count < most
            }
        }
        return head.map { _ in found.withLock(\.self) }
    }

    private func head(_ store: Store) async throws -> RosterHead? { try await store.outbox.rosterHeads(of: Samples.destination).first }

    private func events(_ store: Store) async throws -> [SyncEvent] {
        try await store.outbox.events(since: 0, limit: 100).filter { $0.kind == .rosterChanged }
    }

    @Test func findsLabelsOfIDs() async throws {
        let store = try signedIn()
        #expect(try await store.outbox.rosterLabels(of: ["1"], in: Self.key) == nil)
        try await save(store, [[.sample(3), .sample(1, "Zoë")], [.sample(2)]])
        let found = try #require(try await store.outbox.rosterLabels(of: ["1", "2", "9"], in: Self.key))
        #expect(found.labels == ["1": "Zoë", "2": "Anna Example"])
        #expect(found.head.count == 3)
        #expect(try await store.outbox.rosterLabels(of: ["3"], in: Self.key)?.labels == ["3": "Anna Example"])
        #expect(try await store.outbox.rosterLabels(of: ["9"], in: Self.key)?.labels == [:])
    }

    @Test func findsLabelAndDeletionInOneRead() async throws {
        let store = try signedIn()
        try await save(store, [[.sample(1, "Zoë")]])
        var deletion = Samples.mutation(1)
        (deletion.route, deletion.subject, deletion.reference) = ("delete", "1", "people")
        try await store.enqueue(deletion)
        func standing(_ id: RosterID, _ key: RosterKey?, _ routes: [String]) async throws -> [String?] {
            let found = try await store.outbox.standing(StandingQuestion(of: id, in: key, deletedBy: routes, at: Samples.destination))
            return [found.list.map { "\($0.head.count)" }, found.list?.label, found.deletion?.description]
        }
        #expect(try await standing("1", Self.key, ["delete"]) == ["1", "Zoë", deletion.id.description])
        #expect(try await standing("2", Self.key, ["delete"]) == ["1", nil, nil])
        #expect(try await standing("1", nil, ["delete"]) == [nil, nil, deletion.id.description])
        #expect(try await standing("1", Self.key, []) == ["1", "Zoë", nil])
        #expect(try await standing("1", nil, []) == [nil, nil, nil])
    }

    /// The key stays after a sign-out, so the sealed bytes must go.
    @Test func signOutLeavesNoByteOfTheList() async throws {
        let store = try signedIn()
        try await save(store, (0..<20).map { page in (1...50).map { RosterRow.sample(100 * page + $0, "Person \($0) of page \(page)") } })
        let pages = try store.raw { try Data.fetchAll($0, sql: "SELECT sealed FROM rosterPage") }
        let parts = pages.flatMap { page in stride(from: 0, to: page.count - 32, by: 512).map { Data(page[$0..<$0 + 32]) } }
        func left() throws -> Int {
            let files = try ["outbox.sqlite", "outbox.sqlite-wal"].map { try Data(contentsOf: URL(fileURLWithPath: store.directory($0))) }
            return parts.count { part in files.contains { $0.holds(part) } }
        }
        // The control.
        #expect(try left() > 0)
        try change(store, nil)
        #expect(try await store.outbox.emptyLog())
        #expect(try left() == 0)
    }

    @Test func storesRowsInTheirOrder() async throws {
        let store = try signedIn()
        let all = [[.sample(3), .sample(1, "Zoë “Z” Quiroga")], [], [.sample(2)]] as [[RosterRow]]
        #expect(try await rows(store) == nil)
        #expect(try await save(store, all) == .changed(RosterDifference(rows: 3, added: 3)))
        #expect(try await rows(store) == Array(all.joined()))
        #expect(try await rows(store, most: 2) == all[0])
        let now = store.clock.now
        let head = RosterHead(key: Self.key, revision: 1, readAt: now, beganAt: now.addingTimeInterval(-5), count: 3, total: 3)
        #expect(try await store.outbox.rosterHeads(of: Samples.destination) == [head])
        #expect(try await store.outbox.rosterHeads(of: Destination(backend: "breathesafe", account: "2")).isEmpty)
        let detail = ["resource": "people", "rows": "3", "added": "3", "removed": "0", "changed": "0"]
        #expect(try await events(store).map(\.detail) == [detail])
    }

    @Test func sameRowsOnlyMoveTheTimes() async throws {
        let store = try signedIn()
        try await save(store, [[.sample(1)], [.sample(2)]])
        func sealed() throws -> [Data] { try store.raw { try Data.fetchAll($0, sql: "SELECT sealed FROM rosterPage ORDER BY page") } }
        let before = try sealed()
        for pages in [[[.sample(1)], [.sample(2)]], [nil, nil]] as [[[RosterRow]?]] {
            store.clock.advance(by: 60)
            let read = RosterRead(
                key: Self.key, rule: Self.rule, beganAt: store.clock.now, readAt: store.clock.now,
                pages: RosterRead(pages, at: store.clock.now).pages, total: 2)
            #expect(try await store.outbox.store(read, at: store.clock.now) == .same)
            #expect(try await head(store)?.readAt == store.clock.now)
            #expect(try await head(store)?.beganAt == store.clock.now)
        }
        #expect(try await head(store)?.revision == 1)
        #expect(try sealed() == before)
        #expect(try await events(store).count == 1)
    }

    @Test func countsRowsThatDiffer() async throws {
        let store = try signedIn()
        try await save(store, [[.sample(1), .sample(2)], [.sample(3)]])
        let next: [[RosterRow]?] = [[.sample(4), .sample(2, "Bob")], [.sample(1)]]
        #expect(try await save(store, next) == .changed(RosterDifference(rows: 3, added: 1, removed: 1, changed: 1)))
        #expect(try await head(store)?.revision == 2)
        #expect(try await rows(store) == next.flatMap { $0 ?? [] })
        // Other pages with the same rows are stored, but no change.
        #expect(try await save(store, [[.sample(4)], [.sample(2, "Bob"), .sample(1)]]) == .same)
        #expect(try await head(store)?.revision == 3)
        #expect(try await events(store).count == 2)
    }

    @Test func keepsPagesThatTheServerCallsUnchanged() async throws {
        let store = try signedIn()
        try await save(store, [[.sample(1)], [.sample(2)], [.sample(3)]])
        #expect(try await save(store, [nil, [.sample(2, "Bob")], nil]) == .changed(RosterDifference(rows: 3, changed: 1)))
        #expect(try await rows(store) == [.sample(1), .sample(2, "Bob"), .sample(3)])
        #expect(try await head(store)?.total == 3)
        await #expect(throws: OutboxError.self) { try await save(store, [nil, nil, nil, nil]) }
        await #expect(throws: OutboxError.self) {
            try await store.outbox.store(RosterRead([nil], rule: "another", at: store.clock.now), at: store.clock.now)
        }
        #expect(try await head(store)?.count == 3)
    }

    @Test func givesETagsOfACompleteRosterOnly() async throws {
        let store = try signedIn()
        #expect(try await store.outbox.etags(of: Self.key, rule: Self.rule).isEmpty)
        try await save(store, [[.sample(1)], [.sample(2)]])
        #expect(try await store.outbox.etags(of: Self.key, rule: Self.rule) == [1: "W/\"1\"", 2: "W/\"2\""])
        #expect(try await store.outbox.etags(of: Self.key, rule: Data("another".utf8)).isEmpty)
        let read = RosterRead([[.sample(1)], [.sample(2)]], incomplete: .changing, at: store.clock.now)
        #expect(try await store.outbox.store(read, at: store.clock.now) == .same)
        #expect(try await head(store)?.incomplete == .changing)
        #expect(try await store.outbox.etags(of: Self.key, rule: Self.rule).isEmpty)
    }

    private static let leaves: [(account: AccountID?, fate: RosterFate)] = [(nil, .follows), (nil, .kept), ("2", .follows), ("2", .kept)]

    @Test(arguments: leaves, [true, false])
    func refusesALateRead(session: (account: AccountID?, fate: RosterFate), wasStored: Bool) async throws {
        let store = try signedIn()
        if wasStored { try await save(store, [[.sample(1)]]) }
        try change(store, session.account, session.fate)
        let kept = try await rows(store)
        #expect((kept != nil) == (wasStored && session.fate == .kept))
        for row in [RosterRow.sample(1), .sample(2)] { #expect(try await save(store, [[row]]) == .notSignedIn) }
        #expect(try await rows(store) == kept)
        #expect(try await events(store).count == (wasStored ? 1 : 0))
    }

    private static let foreign = [
        "UPDATE roster SET account = '2'", "UPDATE roster SET resource = 'tasks'",
        "CREATE TEMP TABLE twin AS SELECT * FROM roster; UPDATE twin SET number = 9; INSERT INTO roster SELECT * FROM twin",
    ]
    @Test(arguments: foreign) func schemaRefusesToMoveOrRepeatARoster(sql: String) async throws {
        let store = try signedIn()
        try await save(store, [[.sample(1)]])
        #expect(throws: DatabaseError.self) { try store.raw { try $0.execute(sql: sql) } }
    }

    @Test func deletesOnlyRostersThatCannotBeRead() async throws {
        let store = try signedIn()
        try await save(store, [[.sample(1)], [.sample(2)]])
        try await save(store, [[.sample(1)]], of: "tasks")
        #expect(try await store.outbox.verifyRosters().isEmpty)
        // Each page is in the other's place.
        try store.raw { try $0.execute(sql: "UPDATE rosterPage SET page = 3 - page WHERE roster = 1") }
        await #expect(throws: OutboxError.self) { try await rows(store) }
        #expect(try await store.outbox.etags(of: Self.key, rule: Self.rule).isEmpty)
        #expect(try await store.outbox.verifyRosters() == [Self.key])
        #expect(try await rows(store) == nil)
        #expect(try await rows(store, "tasks") == [.sample(1)])
    }

    @Test func replacesARosterThatCannotBeRead() async throws {
        let store = try signedIn()
        try await save(store, [[.sample(1)]])
        try store.raw { try $0.execute(sql: "UPDATE rosterPage SET sealed = zeroblob(60)") }
        #expect(try await save(store, [[.sample(1)]]) == .changed(RosterDifference(rows: 1, added: 1)))
        #expect(try await rows(store) == [.sample(1)])
    }

    @Test func forgetsRostersOfChangedResources() async throws {
        let store = try signedIn()
        for resource in ["people", "tasks", "lists"] { try await save(store, [[.sample(1)]], of: resource) }
        let rules = [("people", "rule"), ("tasks", "another")].map { resource, rule in
            RosterRule(backend: "breathesafe", resource: resource, rule: Data(rule.utf8))
        }
        try store.outbox.forgetRosters(except: rules)
        #expect(try await store.outbox.rosterHeads(of: Samples.destination).map(\.key) == [Self.key])
        #expect(try store.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM rosterPage") } == 1)
    }

    @Test func ignoresRostersOfChangedResourcesThatCannotBeDeleted() async throws {
        let store = try signedIn()
        for resource in ["people", "tasks"] { try await save(store, [[.sample(1)]], of: resource) }
        let trigger = "CREATE TRIGGER keepAll BEFORE DELETE ON roster BEGIN SELECT RAISE(ABORT, 'kept'); END"
        try store.raw { try $0.execute(sql: trigger) }
        let rules = [RosterRule(backend: "breathesafe", resource: "people", rule: Self.rule)]
        #expect(throws: OutboxError.self) { try store.outbox.forgetRosters(except: rules) }
        #expect(try store.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM roster") } == 2)
        #expect(try await store.outbox.rosterHeads(of: Samples.destination).map(\.key) == [Self.key])
        #expect(try await rows(store, "tasks") == nil)
        #expect(try await rows(store) == [.sample(1)])
    }

    /// SQLite reports a page limit like a full disk.
    @Test func leavesTheReserveAloneOnAFullDisk() async throws {
        let store = try signedIn()
        try await store.outbox.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 1") }
        await #expect(throws: OutboxError.full) { try await save(store, [(1...500).map { RosterRow.sample($0) }]) }
        #expect(FileManager.default.fileExists(atPath: store.directory("ballast")))
        #expect(try await store.outbox.room() == .enough)
        #expect(try await head(store) == nil)
        #expect(try await events(store).isEmpty)
    }

    @Test func storesNothingOverTheLimitOfTheStore() async throws {
        let store = try signedIn()
        let limited = try Outbox(
            file: store.directory("outbox.sqlite"), vault: Vault(key: store.key), crashed: false, maxBytes: 1, now: store.clock.now)
        let read = RosterRead([[.sample(1)]], at: store.clock.now)
        await #expect(throws: OutboxError.overLimit(1)) { try await limited.store(read, at: store.clock.now) }
        #expect(try await limited.room() == .enough)
        #expect(try await head(store) == nil)
    }

    @Test func storesNoRowInTheClear() async throws {
        let store = try signedIn()
        try await save(store, [[.sample(1, "Anna Example")]])
        #expect(try await store.outbox.emptyLog())
        let content = try Data(contentsOf: URL(fileURLWithPath: store.directory("outbox.sqlite")))
        for text in ["Anna", "anna example", "W/\"1\""] { #expect(content.range(of: Data(text.utf8)) == nil) }
    }
}
