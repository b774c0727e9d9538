import Outbox
import SyncModel
import TestSupport
import Testing

@Suite struct OriginTests {
    private let old = "https://old.test:443"
    private let new = "https://new.test:443"

    private func claim(_ store: Store, _ origin: String, formerly: [String] = []) throws -> String? {
        try store.outbox.claimOrigin(origin, of: "breathesafe", formerly: formerly)
    }

    @Test func whatWaitsKeepsItsOriginAndTheNextOneIsForeign() async throws {
        let store = try Store()
        #expect(try claim(store, old) == nil)
        try await store.enqueue(Samples.mutation(1))
        #expect(try claim(store, old) == nil)
        #expect(try claim(store, new) == old)
        #expect(try claim(store, old) == nil)
        // Delivered, it holds nobody up.
        try await store.deliver(try await store.claim()[0])
        #expect(try claim(store, new) == nil)
        try await store.enqueue(Samples.mutation(2))
        #expect(try claim(store, old) == new)
    }

    @Test func theSameServiceUnderANewAddressGoesOn() async throws {
        let store = try Store()
        _ = try claim(store, old)
        try await store.enqueue(Samples.mutation(1))
        #expect(try claim(store, new, formerly: [old]) == nil)
        #expect(try claim(store, old) == new)
    }

    @Test func whatWasCapturedApartGoesBeforeBothBecomeOne() async throws {
        let store = try Store()
        _ = try claim(store, old)
        try await store.enqueue(Samples.mutation(1))
        try await store.enqueue(Samples.mutation(2, account: "1@" + new))
        #expect(try claim(store, new, formerly: [old]) == old)
        try await store.deliver(try await store.claim(account: "1@" + new)[0])
        #expect(try claim(store, new, formerly: [old]) == nil)
    }
}
