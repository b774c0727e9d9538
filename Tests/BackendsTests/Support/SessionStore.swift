import Backends
import Foundation
import GRDB
import Logging
import Outbox
import Sessions
import SyncModel
import TestSupport
import Vault

/// A store for the sessions under test. A further keeper on the same store is a restart.
final class SessionStore: Sendable {
    let folder: TemporaryDirectory
    let outbox: Outbox
    private let vault: Vault
    private var file: String { folder("outbox.sqlite") }

    init() throws {
        (folder, vault) = (try TemporaryDirectory(in: TemporaryDirectory.memory), Vault(key: VaultKey()))
        outbox = try Outbox(file: folder("outbox.sqlite"), vault: vault, crashed: false, now: noon)
    }

    /// The files as a crash at this moment leaves them.
    private init(copying other: SessionStore) throws {
        (folder, vault) = (try TemporaryDirectory(in: TemporaryDirectory.memory), other.vault)
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: other.file + suffix, toPath: folder("outbox.sqlite") + suffix)
        }
        outbox = try Outbox(file: folder("outbox.sqlite"), vault: vault, crashed: true, now: noon)
    }

    func crashed() throws -> SessionStore { try SessionStore(copying: self) }

    func keeper(_ backend: Backend, foreignTo: String? = nil, _ transport: any Transport, _ clock: any SyncClock) throws -> SessionKeeper {
        try SessionKeeper(
            backend: backend, foreignTo: foreignTo, outbox: outbox, transport: transport, clock: clock, log: Logger(label: "test"))
    }

    /// From now on no session can be stored.
    func refuse() throws { try write("CREATE TRIGGER refused BEFORE INSERT ON session BEGIN SELECT RAISE(ABORT, 'the disk is full'); END") }
    func accept() throws { try write("DROP TRIGGER refused") }

    func write(_ sql: String) throws {
        let queue = try DatabaseQueue(path: file)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    func events(_ kind: SyncEvent.Kind) async throws -> [SyncEvent] {
        try await outbox.events(since: 0, limit: 1000).filter { $0.kind == kind }
    }
}

extension SessionKeeper {
    @discardableResult
    func signOut(allDevices: Bool, drain: @escaping @Sendable () async -> Void) async throws(SignOutError) -> SignOutOutcome {
        try await signOut(SignOutRequest(allDevices: allDevices), drain: drain)
    }
}
