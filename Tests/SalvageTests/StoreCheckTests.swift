import Foundation
import GRDB
import Outbox
import Salvage
import StoreSupport
import SyncModel
import TestSupport
import Testing
import Vault

@Suite struct StoreCheckTests {
    @Test func countsUnreadableEntriesOnHoldAndReportsOthers() async throws {
        let store = try Store()
        for number in 1...6 { try await store.enqueue(Samples.mutation(number, lane: "\(number)")) }
        // Verification leaves entries in flight as they are.
        #expect(try await store.claim().map(\.id) == [Samples.id(1)])
        try store.raw { db in
            try db.execute(
                sql: """
                    DROP TRIGGER contentSame; DROP TRIGGER contentStays;
                    UPDATE content SET sealed = zeroblob(60) WHERE sequence IN (1, 3, 6);
                    DELETE FROM content WHERE sequence IN (4, 5);
                    """)
        }
        try await store.outbox.verifyContents(at: store.clock.now) { _ in }
        let check = try StoreCheck(file: store.directory("outbox.sqlite"), vault: Vault(key: store.key), isInUse: true)
        #expect(check.unreadable == 4 && check.faults == ["The stored data of entry \(Samples.id(1)) cannot be read."])
    }
}
