import Foundation
import GRDB
import Outbox
import Salvage
import StoreSupport
import TestSupport
import Testing
import Vault

@Suite struct StoreEvidenceTests {
    private func store(_ count: Int) async throws -> Store {
        let store = try Store()
        for number in 1...max(1, count) { try await store.enqueue(Samples.mutation(number, lane: "\(number)")) }
        if count == 0 { try await store.outbox.discard(Samples.id(1), by: "test", at: store.clock.now) }
        try store.outbox.close()
        _ = try await DatabaseQueue(path: store.directory("outbox.sqlite")).writeWithoutTransaction { try $0.checkpoint(.truncate) }
        return store
    }

    private func evidence(_ store: Store) throws -> StoreEvidence { try StoreEvidence(file: store.directory("outbox.sqlite")) }

    @Test(arguments: [1, 2, 3, 20]) func readableRowsProveTheKey(count: Int) async throws {
        let store = try await store(count)
        #expect(try evidence(store).isSealed(by: Vault(key: store.key)) == true)
    }

    @Test func storedSessionIsEvidence() async throws {
        let store = try Store()
        try store.outbox.apply(SessionChange(backend: "lab", record: Data("{}".utf8)))
        #expect(try evidence(store).isSealed(by: Vault(key: store.key)) == true)
        #expect(try evidence(store).isSealed(by: Vault(key: VaultKey())) == nil)
    }

    /// One or two rows that cannot be decrypted may just be damaged.
    @Test(arguments: [(0, nil), (1, nil), (2, nil), (3, false), (20, false)] as [(Int, Bool?)])
    func threeUnreadableRowsProveAnotherKey(count: Int, answer: Bool?) async throws {
        #expect(try await evidence(store(count)).isSealed(by: Vault(key: VaultKey())) == answer)
    }
}
