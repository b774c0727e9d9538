import Foundation
import Outbox
import Salvage
import StoreSupport
import TestSupport
import Testing
import Vault

@Suite struct StoreEvidenceTests {
    private func store(_ count: Int = 20) async throws -> Store {
        let store = try Store()
        try store.keepKeyring()
        for number in 1...count { try await store.enqueue(Samples.mutation(number, lane: "\(number)")) }
        return store
    }

    private func keyrings(_ store: Store) throws -> [Keyring] {
        try StoreEvidence(file: store.directory("outbox.sqlite")).keyrings.compactMap {
            WrappedKeyring(parsing: $0).opened(by: store.key)?.keyring
        }
    }

    /// In the log, and in the file.
    @Test func findsTheKeyringOfAStore() async throws {
        let store = try await store()
        #expect(try keyrings(store).first == Keyring(from: store.key))
        try store.outbox.close()
        #expect(try keyrings(store).first == Keyring(from: store.key))
    }

    @Test func findsTheKeyringWithoutSQLite() async throws {
        let store = try await store()
        try store.outbox.close()
        let file = URL(fileURLWithPath: store.directory("outbox.sqlite"))
        var content = try Data(contentsOf: file)
        // The first page, without which SQLite opens nothing.
        content.resetBytes(in: 0..<4096)
        try content.write(to: file)
        #expect(try keyrings(store).first == Keyring(from: store.key))
    }

    @Test func newestKeyringComesFirst() async throws {
        let store = try await store()
        let rotated = Keyring(from: store.key).rotated(at: store.clock.now)
        try store.outbox.keep(WrappedKeyring(rotated, under: [store.key]))
        #expect(try keyrings(store).first == rotated)
    }

    /// Without waiting for its writer.
    @Test func pipeHasNoKeyring() throws {
        let directory = try TemporaryDirectory()
        #expect(mkfifo(directory("outbox.sqlite"), 0o600) == 0)
        #expect(try StoreEvidence(file: directory("outbox.sqlite")).keyrings.isEmpty)
    }

    @Test func storeWithoutAKeyringHasNone() throws {
        let store = try Store()
        #expect(try keyrings(store).isEmpty)
        #expect(try StoreEvidence(file: store.directory("nothing.sqlite")).keyrings.isEmpty)
    }
}
