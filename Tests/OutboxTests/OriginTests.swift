import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

@Suite struct OriginTests {
    private let old = "https://old.test:443"
    private let new = "https://new.test:443"

    private func claim(_ store: Store, _ origin: String, formerly: [String] = []) throws -> String? {
        try store.outbox.claimOrigin(origin, of: "breathesafe", formerly: formerly)
    }

    @Test func waitingEntriesKeepTheirOrigin() async throws {
        let store = try Store()
        #expect(try claim(store, old) == nil)
        try await store.enqueue(Samples.mutation(1))
        #expect(try claim(store, old) == nil)
        #expect(try claim(store, new) == old)
        #expect(try claim(store, old) == nil)
        try await store.deliver(try await store.claim()[0])
        #expect(try claim(store, new) == nil)
        try await store.enqueue(Samples.mutation(2))
        #expect(try claim(store, old) == new)
    }

    @Test func changedMarksHoldUncertainEntries() async throws {
        let store = try Store()
        func claim(_ rule: String) async throws -> Int {
            try await store.outbox.claimLookupRules(["measurement": rule, "other": ""], of: "breathesafe", at: store.clock.now)
        }
        #expect(try await claim("mark /a") == 0)
        let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)
        try await store.enqueue(Samples.mutation(1))
        try await store.settle(try await store.claim()[0], .released(until: store.clock.now, lost), .unknown(lost))
        try await store.enqueue(Samples.mutation(2, lane: "users/9"))
        #expect(try await claim("mark /a") == 0)
        #expect(try await store.state(1) == .pending)
        #expect(try await claim("mark /b") == 1)
        let record = try #require(try await store.outbox.entry(Samples.id(1))?.entry)
        #expect(record.state == .held && record.holdReason == .unknownOutcome && record.uncertain)
        #expect(record.lastError?.contains("another marker or find.match") == true)
        #expect(try await store.state(2) == .pending)
        #expect(try await claim("mark /b") == 0)
        #expect(try await store.outbox.derivedTablesMatch())
        let event = try #require(try await store.outbox.events(since: 0, limit: 100).last { $0.kind == .held })
        #expect(event.detail == ["reason": "unknownOutcome"])
    }

    /// Damage must not count as another origin: the entries would wait for one that does not exist.
    @Test func damagedOriginDoesNotBlockEntries() async throws {
        let store = try Store()
        #expect(try claim(store, old) == nil)
        try await store.enqueue(Samples.mutation(1))
        let pool = store.outbox.pool
        func write(_ bytes: Data) async throws {
            let sql = "UPDATE origin SET origin = CAST(? AS TEXT), digest = ?"
            try await pool.write { try $0.execute(sql: sql, arguments: [Data(bytes.dropLast(8)), Data(bytes.suffix(8))]) }
        }
        func read() async throws -> Data {
            try await pool.read { db in
                let text = try #require(try Data.fetchOne(db, sql: "SELECT CAST(origin AS BLOB) FROM origin"))
                return text + (try #require(try Data.fetchOne(db, sql: "SELECT digest FROM origin")))
            }
        }
        let stored = try await read()
        #expect(stored == Data(old.utf8) + CheckedText(old, of: "breathesafe").digest)
        for place in stored.indices {
            for flip: UInt8 in [1, 0x10, 0x20, 0x80, 0xff] {
                var bytes = stored
                bytes[place] ^= flip
                try await write(bytes)
                // The damaged origin does not match a different one either.
                #expect(try claim(store, new) != nil, "byte \(place)")
                #expect(try claim(store, old) == nil, "byte \(place)")
                #expect(try claim(store, new) == old, "byte \(place)")
            }
        }
        #expect(try await read() == stored)
    }

    /// Damage must not count as another rule.
    @Test(arguments: ["rule = 'mark /b'", "digest = zeroblob(8)"]) func damagedLookupRuleHoldsNoEntry(damage: String) async throws {
        let store = try Store()
        func claim() async throws -> Int {
            try await store.outbox.claimLookupRules(["measurement": "mark /a"], of: "breathesafe", at: store.clock.now)
        }
        #expect(try await claim() == 0)
        let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)
        try await store.enqueue(Samples.mutation(1))
        try await store.settle(try await store.claim()[0], .released(until: store.clock.now, lost), .unknown(lost))
        try store.raw { try $0.execute(sql: "UPDATE lookupRule SET \(damage)") }
        #expect(try await claim() == 0)
        #expect(try await store.state(1) == .pending)
    }

    @Test func serviceContinuesUnderNewAddress() async throws {
        let store = try Store()
        _ = try claim(store, old)
        try await store.enqueue(Samples.mutation(1))
        #expect(try claim(store, new, formerly: [old]) == nil)
        #expect(try claim(store, old) == new)
    }

    @Test func deliversSeparateEntriesBeforeMergingOrigins() async throws {
        let store = try Store()
        _ = try claim(store, old)
        try await store.enqueue(Samples.mutation(1))
        try await store.enqueue(Samples.mutation(2, account: AccountID("1@" + new)))
        #expect(try claim(store, new, formerly: [old]) == old)
        try await store.deliver(try await store.claim(account: AccountID("1@" + new))[0])
        #expect(try claim(store, new, formerly: [old]) == nil)
    }
}
