import Backends
import Delivery
import Foundation
import Logging
import Outbox
import Sessions
import TestSupport
import Vault

/// A courier with a signed-in session at a scripted backend.
struct ScriptedCourier {
    let server = ScriptedBackend()
    let clock = TestClock(Date(timeIntervalSince1970: 1_795_262_400))
    let courier: Courier
    /// Holds the store for as long as the courier is used.
    private let folder: TemporaryDirectory

    init(_ profile: String) async throws {
        folder = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: folder("profiles"), withIntermediateDirectories: true)
        try folder.write(profile, to: "profiles/breathesafe.yaml")
        let backend = try ProfileLibrary.load(directory: folder("profiles"), deviceID: "d", version: "1")[0]
        let outbox = try Outbox(file: folder("outbox.sqlite"), vault: Vault(key: VaultKey()), crashed: false, now: clock.now)
        let keeper = try SessionKeeper(backend: backend, outbox: outbox, transport: server, clock: clock, log: Logger(label: "test"))
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: false)
        courier = Courier(keeper: keeper, policy: RetryPolicy(), clock: clock)
        server.forget()
    }
}
