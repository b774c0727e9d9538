import Foundation
import GRDB
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing

@Suite struct ExportingTests {
    private func export(_ store: Store, _ number: Int = 1) async throws -> Entry {
        try await store.outbox.export(Samples.id(number), by: "uid 1000, pid 7", at: store.clock.now)
    }

    private func exports(_ store: Store) async throws -> [SyncEvent] {
        try await store.outbox.events(since: 0, limit: 100).filter { $0.kind == .exported }
    }

    @Test func exportReturnsTheContentAndRecordsThePerson() async throws {
        let store = try Store()
        let mutation = Samples.mutation(1, payload: "{\"a\": 1.50,\r\n\t\"n\": \"é\"}")
        try await store.enqueue(mutation)
        let entry = try await export(store)
        #expect(entry.mutation == mutation && entry.state == .pending)
        let events = try await exports(store)
        #expect(events.map(\.entry) == [Samples.id(1)])
        #expect(events.map(\.detail) == [["by": "uid 1000, pid 7"]])
        #expect(try await store.claim().map(\.mutation) == [mutation])
    }

    @Test func destroyedContentIsRefused() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number)) }
        try await store.deliver(try #require(try await store.claim().first))
        try await store.outbox.discard(Samples.id(2), by: "ann", at: store.clock.now)
        await #expect(throws: OutboxError.wrongState(Samples.id(1), .delivered)) { _ = try await export(store, 1) }
        await #expect(throws: OutboxError.wrongState(Samples.id(2), .discarded)) { _ = try await export(store, 2) }
        try await store.outbox.prune(before: store.clock.now.addingTimeInterval(1), at: store.clock.now)
        await #expect(throws: OutboxError.wrongState(Samples.id(1), .delivered)) { _ = try await export(store, 1) }
        await #expect(throws: OutboxError.notFound(Samples.id(9))) { _ = try await export(store, 9) }
        #expect(try await exports(store).isEmpty)
    }

    @Test func unreadableContentIsRefused() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try store.raw { try $0.execute(sql: "DROP TRIGGER contentSame; UPDATE content SET sealed = zeroblob(60)") }
        await #expect(throws: OutboxError.unreadable(Samples.id(1))) { _ = try await export(store) }
        #expect(try await exports(store).isEmpty)
    }
}
