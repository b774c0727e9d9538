import Foundation
import Outbox
import Salvage
import StoreSupport
import SyncModel
import TestSupport
import Testing
import Vault

@Suite struct WaitingMutationsTests {
    @Test func readsWaitingEntriesWhileDaemonRuns() async throws {
        let store = try Store()
        let misfit = Failure(.profile, "The backend \"breathesafe\" has no route \"measurement\".")
        for number in 1...2 {
            try await store.enqueue(Samples.mutation(number, lane: "users/\(number)"))
            try await store.settle(try await store.claim()[0], .held(.profile, misfit), .permanent(misfit))
        }
        try await store.enqueue(Samples.mutation(3))
        try await store.enqueue(Samples.mutation(4, lane: "users/9"))
        try await store.outbox.discard(Samples.id(4), by: "ann", at: store.clock.now)
        let file = store.directory("outbox.sqlite")
        var found: [Mutation] = []
        let waiting = WaitingMutations(file: file, vault: Vault(key: store.key), isInUse: true)
        #expect(try waiting.visit { found.append($0) } == 0)
        #expect(found.map(\.id) == [1, 2, 3].map(Samples.id))
        #expect(found.last == Samples.mutation(3))
        #expect(try WaitingMutations(file: file, vault: Vault(key: VaultKey()), isInUse: true).visit { _ in } == 3)
    }
}
