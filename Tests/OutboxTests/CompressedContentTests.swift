import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing
import Vault

@testable import Outbox

/// See Decisions/CompressedPayloads.md.
@Suite struct CompressedContentTests {
    private static func document(_ size: Int) -> String {
        let (begin, end) = (#"{"a":""#, #""}"#)
        return begin + String(repeating: "17.25,", count: size / 6).prefix(size - begin.count - end.count) + end
    }

    private static func sealedSize(_ store: Store) throws -> Int? {
        try store.raw { try Int.fetchOne($0, sql: "SELECT length(sealed) FROM content") }
    }

    @Test(arguments: [1000, Compression.least - 1, Compression.least, 17_000, 300_000])
    func largePayloadIsStoredCompressedAndReturnsUnchanged(size: Int) async throws {
        var store = try Store()
        let mutation = Samples.mutation(1, payload: Self.document(size))
        try await store.enqueue(mutation)
        #expect(mutation.payload?.count == size)
        let sealed = try #require(try Self.sealedSize(store))
        #expect((sealed < size) == (size >= Compression.least))
        try store.restart()
        let entry = try #require(try await store.claim().first)
        #expect(entry.mutation == mutation && entry.size == size)
        try await store.deliver(entry)
        #expect(try await store.outbox.entry(Samples.id(1))?.entry.size == size)
        #expect(
            try await store.enqueue(mutation) == .duplicate(sequence: entry.sequence, of: Samples.destination, mutation.lane))
    }

    @Test func incompressiblePayloadIsStoredAsItIs() async throws {
        let store = try Store()
        let mutation = Samples.mutation(1, payload: #"{"a":"\#(Samples.noise(17_000))"}"#)
        try await store.enqueue(mutation)
        #expect(try #require(try Self.sealedSize(store)) > 17_000)
        #expect(try await store.claim().map(\.mutation) == [mutation])
    }

    /// Sealed with the right key, but not a payload.
    @Test func damagedCompressedPayloadIsUnreadable() async throws {
        let store = try Store()
        let mutation = Samples.mutation(1, payload: Self.document(2000))
        try await store.enqueue(mutation)
        let id = mutation.id
        let sealed = try #require(try store.raw { try Data.fetchOne($0, sql: "SELECT sealed FROM content") })
        let content = try store.outbox.vault.open(sealed, as: id.description)
        try store.raw { try $0.execute(sql: "DROP TRIGGER contentSame") }
        func put(_ content: Data) throws {
            let sealed = try store.outbox.vault.seal(content, as: id.description)
            try store.raw { try $0.execute(sql: "UPDATE content SET sealed = ?", arguments: [sealed]) }
        }
        let begin = content.count - (try #require(Compression.compressed(mutation.payload ?? Data())).count)
        #expect(content[begin - 1] == 3)
        // This byte is part of the size that the frame states. The bomb holds more than it states.
        var (bomb, hollow) = (content, content)
        (bomb[begin + 6], hollow[begin + 6]) = (0, 0x80)
        let (head, cut) = (content.prefix(begin), content.dropLast())
        for damaged in [cut, head, head + Data(count: 100), content + content, hollow, bomb] {
            try put(damaged)
            await #expect(throws: OutboxError.unreadable(id)) { _ = try await store.outbox.readable(id) }
        }
        // The control: the same with the right content.
        try put(content)
        #expect(try await store.outbox.readable(id).mutation == mutation)
        try put(bomb)
        #expect(try await store.claim().isEmpty)
        #expect(try await store.outbox.entry(id)?.entry.holdReason == .unreadable)
    }
}
