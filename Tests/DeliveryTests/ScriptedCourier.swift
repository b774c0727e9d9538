import Backends
import Delivery
import Foundation
import Outbox
import Sessions
import StoreSupport
import TestSupport

/// A courier with a signed-in session at a scripted backend.
struct ScriptedCourier {
    let server = ScriptedBackend()
    let courier: Courier
    var clock: TestClock { store.clock }
    private let store: Store

    init(_ profile: String) async throws {
        store = try Store(in: TemporaryDirectory.memory, clock: TestClock(Date(timeIntervalSince1970: 1_795_262_400)))
        let (folder, clock) = (store.directory, store.clock)
        try FileManager.default.createDirectory(atPath: folder("profiles"), withIntermediateDirectories: true)
        try folder.write(profile, to: "profiles/breathesafe.yaml")
        let backend = try ProfileLibrary.load(directory: folder("profiles"), deviceID: "d", version: "1")[0]
        let keeper = try SessionKeeper(backend: backend, outbox: store.outbox, transport: server, clock: clock, log: .silent)
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: false)
        courier = Courier(keeper: keeper, policy: RetryPolicy(), clock: clock)
        server.forget()
    }
}
