import Foundation
import GRDB
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing

/// Damage is found while someone may still have the original.
@Suite struct VerifyTests {
    @Test func verificationHoldsEntriesWithUnreadableContent() async throws {
        let store = try Store()
        let mutations = (1...500).map { Samples.mutation($0, lane: "\($0)") }
        _ = try await store.outbox.enqueue(mutations, accountLabel: nil, at: store.clock.now)
        let sent = try await store.claim(2)
        func held() async throws -> [MutationID] {
            var ids: [MutationID] = []
            try await store.outbox.verifyContents(at: store.clock.now) { ids.append($0) }
            return ids
        }
        #expect(try await held().isEmpty)
        try store.raw { db in
            try db.execute(
                sql: """
                    DROP TRIGGER contentSame; DROP TRIGGER contentStays;
                    UPDATE content SET sealed = zeroblob(60) WHERE sequence IN (1, 3, 250, 499);
                    DELETE FROM content WHERE sequence = 300;
                    """)
        }
        let damaged = [3, 250, 300, 499].map(Samples.id)
        #expect(try await held() == damaged)
        for id in damaged {
            let record = try #require(try await store.outbox.entry(id)?.entry)
            #expect(record.state == .held && record.holdReason == .unreadable)
        }
        #expect(try await store.outbox.events(since: 0, limit: 2000).filter { $0.kind == .held }.map(\.entry) == damaged)
        // Entries in flight have been read already.
        #expect(sent.first?.id == Samples.id(1))
        #expect(try await store.state(1) == .inflight)
        #expect(try await held().isEmpty)
        #expect(try await store.outbox.derivedTablesMatch())
    }
}
