import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing
import Vault

@testable import Outbox

@Suite struct ResealingTests {
    private static let large = #"{"a":"\#(Samples.noise(300_000))"}"#
    private let store: Store
    /// The store's, after a change of the data key.
    private let keyring: Keyring

    init() throws {
        store = try Store()
        keyring = Keyring(from: store.key).rotated(at: store.clock.now)
    }

    private func mutation(_ number: Int) -> Mutation {
        number == 6 ? Samples.mutation(6, lane: "users/6", payload: Self.large) : Samples.mutation(number, lane: "users/\(number)")
    }

    private let owed = StoredOwedSignOut(account: "2", until: Date(timeIntervalSince1970: 1_765_080_000), record: Data("owed".utf8))

    /// Rows in every table with sealed data.
    private func fill() async throws {
        let (outbox, now) = (store.outbox, store.clock.now)
        for number in 1...6 { try await store.enqueue(mutation(number)) }
        try outbox.apply(
            SessionChange(backend: "breathesafe", record: Data("session".utf8), account: "1", owedSignOut: .begins(owed)))
        _ = try await outbox.store(RosterRead([[.sample(1)], [.sample(2)]], at: now), at: now)
        try await outbox.keep(
            Notifications(payloads: [Data("text".utf8)], memory: Data("memory".utf8), rule: "r", receivers: [.webhook, .mail]), at: now)
    }

    /// The sealed data by table, of all tables that have a column of this name.
    private func sealed() throws -> [String: [Data]] {
        try store.raw { db in
            let tables = try String.fetchAll(
                db,
                sql: """
                    SELECT t.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c ON c.name = 'sealed' WHERE t.type = 'table'
                    """)
            return try Dictionary(uniqueKeysWithValues: tables.map { ($0, try Data.fetchAll(db, sql: "SELECT sealed FROM \($0)")) })
        }
    }

    private func resealAll() async throws -> Int {
        var rows = 0
        while case let pass = try await store.outbox.reseal(), pass.rows > 0 { rows += pass.rows }
        return rows
    }

    /// Opened with the new data key alone.
    private func reopened() throws -> Outbox {
        try Outbox(
            file: store.directory("outbox.sqlite"), vault: Vault(keyring.withoutEarlier), crashed: false, now: store.clock.now)
    }

    @Test func everyTableIsSealedAgain() async throws {
        try await fill()
        let before = try sealed()
        #expect(before.values.allSatisfy { !$0.isEmpty } && before.count == 6)
        #expect(try await store.outbox.reseal() == Resealing())
        store.outbox.vault.adopt(keyring)
        let count = before.values.map(\.count).reduce(0, +)
        let pass = try await store.outbox.reseal()
        #expect(pass == Resealing(rows: count))
        #expect(try await store.outbox.reseal() == Resealing())
        let after = try sealed()
        for (table, rows) in after {
            #expect(Set(rows).isDisjoint(with: before[table] ?? []), "\(table)")
            #expect(rows.map(\.count).sorted() == before[table]?.map(\.count).sorted(), "\(table)")
        }
        let outbox = try reopened()
        let orders = [Samples.destination: ClaimOrder(10)]
        #expect(try await outbox.claim(orders, at: store.clock.now).entries.map(\.mutation) == (1...6).map(mutation))
        #expect(try outbox.session(of: "breathesafe") == .record(Data("session".utf8)))
        #expect(try outbox.owedSignOuts(of: "breathesafe") == [owed])
        #expect(try await outbox.notificationMemory() == Data("memory".utf8))
        #expect(try await outbox.nextNotification(for: .mail)?.payload == Data("text".utf8))
        #expect(try await outbox.verifyRosters().isEmpty)
    }

    @Test func sameSubmissionIsRecognisedAfterTheChange() async throws {
        try await fill()
        store.outbox.vault.adopt(keyring)
        guard case .duplicate = try await store.enqueue(mutation(1)) else {
            Issue.record("taken for a new one")
            return
        }
        _ = try await resealAll()
        guard case .duplicate = try await reopened().enqueue(mutation(2), at: store.clock.now) else {
            Issue.record("taken for a new one")
            return
        }
    }

    /// Neither the file nor its log.
    @Test func filesKeepNothingOfTheEarlierKey() async throws {
        try await fill()
        let before = try sealed().values.joined()
        func found() throws -> Int {
            let files = try ["outbox.sqlite", "outbox.sqlite-wal"].map { try Data(contentsOf: URL(fileURLWithPath: store.directory($0))) }
            // Parts, because a long row is on several pages.
            let parts = before.flatMap { row in stride(from: 0, to: row.count - 27, by: 997).map { Data(row.dropFirst($0).prefix(28)) } }
            return parts.count { part in files.contains { $0.holds(part) } }
        }
        #expect(try found() > 200)
        store.outbox.vault.adopt(keyring)
        _ = try await resealAll()
        #expect(try await store.outbox.emptyLog())
        #expect(try found() == 0)
    }

    @Test func concurrentWritesLoseNothing() async throws {
        let last = keyring.rotated(at: store.clock.now)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...300 { group.addTask { _ = try await store.enqueue(Samples.mutation(number, lane: "users/\(number)")) } }
            group.addTask { for entry in try await store.claim(20) { try await store.deliver(entry) } }
            for keyring in [keyring, last] {
                store.outbox.vault.adopt(keyring)
                _ = try await store.outbox.reseal()
            }
            try await group.waitForAll()
        }
        _ = try await resealAll()
        let outbox = try Outbox(
            file: store.directory("outbox.sqlite"), vault: Vault(last.withoutEarlier), crashed: false, now: store.clock.now)
        try await outbox.verifyContents(at: store.clock.now) { id in Issue.record("\(id) does not open") }
        #expect(try await outbox.derivedTablesMatch())
    }

    @Test func interruptedPassBeginsAgain() async throws {
        try await fill()
        store.outbox.vault.adopt(keyring)
        let cancelled = Task { try await store.outbox.reseal() }
        cancelled.cancel()
        // However far it came.
        _ = await cancelled.result
        _ = try await resealAll()
        #expect(try reopened().session(of: "breathesafe") == .record(Data("session".utf8)))
    }

    @Test func unreadableRowsAreCountedAndLeft() async throws {
        try await fill()
        try store.raw { db in
            try db.execute(sql: "DROP TRIGGER contentSame; UPDATE content SET sealed = zeroblob(60) WHERE sequence = 1")
        }
        store.outbox.vault.adopt(keyring)
        let pass = try await store.outbox.reseal()
        #expect(pass.rows > 0 && pass.unreadable == ["content": 1])
        #expect(try await store.outbox.reseal() == Resealing(unreadable: ["content": 1]))
        #expect(try sealed()["content"]?.contains(Data(count: 60)) == true)
    }

    @Test func contentKeepsItsPlaceAndItsLength() async throws {
        try await fill()
        for change in ["sequence = 99", "id = 'x'", "sealed = zeroblob(length(sealed) + 1)"] {
            #expect(throws: DatabaseError.self) { try store.raw { try $0.execute(sql: "UPDATE content SET \(change) WHERE sequence = 1") } }
        }
    }

    @Test func progressEndsAtNothing() async throws {
        try await fill()
        let count = try sealed().values.map(\.count).reduce(0, +)
        var left: [Int] = []
        _ = try await store.outbox.reseal { left.append($0) }
        #expect(left.first == count && left == left.sorted(by: >) && left.last == 0)
    }

    // MARK: The copy of the keyring

    @Test func newestCopyOfTheKeyringIsKept() throws {
        for keyring in [Keyring(from: store.key), keyring] { try store.outbox.keep(WrappedKeyring(keyring, under: [store.key])) }
        let stored = WrappedKeyring(parsing: try #require(try store.outbox.storedKeyring()))
        #expect(stored.isWhole && stored.opened(by: store.key)?.keyring == keyring)
    }
}
