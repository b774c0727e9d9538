import ControlAPI
import Foundation
import Outbox
import Sandbox
import SyncModel
import TestSupport
import Testing
import Vault

@testable import SyncDaemon

/// A change of the keys with a store, as the daemon makes it.
@Suite struct KeyRotationTests {
    private struct Killed: Error {}
    private let directory: TemporaryDirectory
    private let clock = TestClock()

    init() throws { directory = try TemporaryDirectory() }

    private func load() throws -> StationKeys {
        try StationKeys.load(environment: [:], stateDirectory: directory.path, now: clock.now) { Daemon.keyrings(in: directory.path) }
    }

    private func open(_ vault: Vault) throws -> Outbox {
        try Outbox(file: directory("outbox.sqlite"), vault: vault, crashed: false, now: clock.now)
    }

    private func mutation(_ number: Int) -> Mutation { Samples.mutation(number, lane: "users/\(number)") }

    /// The changes of the store that were made before the process ended: call 1 or 2, before or after the copy is kept.
    @Test(
        arguments: [
            (1, false, false), (1, true, false), (2, false, false), (2, true, false), (1, false, true), (1, true, true), (2, false, true),
            (2, true, true),
        ] as [(Int, Bool, Bool)])
    func killAtAnyStepLosesNothing(call: Int, isKept: Bool, losesKeyring: Bool) async throws {
        var keys = try load()
        let vault = keys.vault()
        let outbox = try open(vault)
        try outbox.keep(keys.wrapped)
        _ = try await outbox.enqueue(mutation(1), at: clock.now)
        var calls = 0
        #expect(throws: Killed.self) {
            try keys.rotate(at: clock.now) { now in
                calls += 1
                if calls == call, !isKept { throw Killed() }
                try outbox.keep(now.wrapped)
                vault.adopt(now.keyring)
                if calls == call { throw Killed() }
            }
        }
        _ = try await outbox.enqueue(mutation(2), at: clock.now)
        try outbox.close()
        if losesKeyring { try FileManager.default.removeItem(atPath: directory("homing.keyring")) }

        let found = try load()
        #expect(!found.isPending)
        let again = try open(found.vault())
        try again.keep(found.wrapped)
        try await again.verifyContents(at: clock.now) { id in Issue.record("\(id) does not open") }
        for number in 1...2 {
            guard case .duplicate = try await again.enqueue(mutation(number), at: clock.now) else {
                Issue.record("\(number) is taken for a new one")
                return
            }
        }
    }

    private func resealer(_ keeper: KeyKeeper, _ outbox: Outbox) -> Resealer {
        Resealer(keys: keeper, outbox: outbox, clock: clock, log: .silent)
    }

    @Test func earlierKeysOpenNothingAfterwards() async throws {
        let before = try load()
        let keeper = KeyKeeper(before)
        let outbox = try open(keeper.vault)
        try keeper.copy(to: outbox, at: clock.now)
        for number in 1...5 { _ = try await outbox.enqueue(mutation(number), at: clock.now) }
        try await keeper.rotate(to: nil, in: outbox, by: "uid 0, pid 7", at: clock.now)
        #expect(keeper.report.isResealing && !keeper.report.isPending)
        let isForgotten = try keeper.forgetEarlier(of: keeper.vault.generation - 1, in: outbox)
        #expect(!isForgotten && keeper.hasEarlier)
        try await resealer(keeper, outbox).resealAll()
        #expect(!keeper.report.isResealing)
        let events = try await outbox.events(since: 0, limit: 100).filter { $0.kind == .keyChanged || $0.kind == .resealed }
        #expect(events.map(\.kind) == [.keyChanged, .resealed])
        #expect(events.map(\.detail) == [["by": "uid 0, pid 7"], ["rows": "5"]])
        // What a thief of the old key finds in a copy of the folder.
        try outbox.close()
        let found = try load()
        #expect(!found.keyring.hasEarlier)
        #expect(found.wrapped.opened(by: before.master) == nil)
        for copy in Daemon.keyrings(in: directory.path) { #expect(WrappedKeyring(parsing: copy).opened(by: before.master) == nil) }
        let old = try open(before.vault())
        for number in 1...5 { #expect(try await old.contents(of: [Samples.id(number)]) { $0 }.isEmpty) }
        try old.close()
        let new = try open(found.vault())
        let ids = (1...5).map { Samples.id($0) }
        #expect(try await new.contents(of: ids) { $0 }.count == 5)
    }

    @Test func restartContinuesSealingAgain() async throws {
        var keys = try load()
        let outbox = try open(keys.vault())
        _ = try await outbox.enqueue(mutation(1), at: clock.now)
        try keys.rotate(at: clock.now) { try outbox.keep($0.wrapped) }
        try outbox.close()
        let keeper = KeyKeeper(try load())
        #expect(keeper.hasEarlier)
        let again = try open(keeper.vault)
        try await resealer(keeper, again).resealAll()
        try again.close()
        let last = try load()
        #expect(!last.keyring.hasEarlier)
        #expect(try await open(last.vault()).contents(of: [Samples.id(1)]) { $0 }.count == 1)
    }

    @Test func pendingMasterKeyChangesNoDataKey() async throws {
        try FileManager.default.createDirectory(atPath: directory("credentials"), withIntermediateDirectories: true)
        try VaultKey().content.write(to: URL(fileURLWithPath: directory("credentials/homing.key")))
        let environment = ["CREDENTIALS_DIRECTORY": directory("credentials")]
        let keeper = KeyKeeper(try StationKeys.load(environment: environment, stateDirectory: directory.path))
        let outbox = try open(keeper.vault)
        await #expect(throws: Problem.self) { try await keeper.rotate(to: nil, in: outbox, by: "test", at: clock.now) }
        #expect(!keeper.hasEarlier)
        try await keeper.rotate(to: VaultKey().content, in: outbox, by: "test", at: clock.now)
        try await resealer(keeper, outbox).resealAll()
        #expect(!keeper.hasEarlier && keeper.report.isPending && keeper.report.left == nil)
    }

    @Test func refusedChangeIsNotRecorded() async throws {
        let keeper = KeyKeeper(try load())
        let outbox = try open(keeper.vault)
        try FileManager.default.moveItem(atPath: directory("homing.key"), toPath: directory("elsewhere"))
        try FileManager.default.createSymbolicLink(atPath: directory("homing.key"), withDestinationPath: directory("elsewhere"))
        let problem = await #expect(throws: Problem.self) { try await keeper.rotate(to: nil, in: outbox, by: "test", at: clock.now) }
        #expect(problem?.title == "The key was not changed" && problem?.detail.contains("is a symbolic link") == true)
        #expect(try await outbox.events(since: 0, limit: 100).allSatisfy { $0.kind != .keyChanged })
    }

    @Test func repeatedChangeToAKnownKeyIsCompleted() async throws {
        var keys = try load()
        let next = VaultKey()
        let outbox = try open(keys.vault())
        var calls = 0
        #expect(throws: Killed.self) {
            try keys.rotate(to: next, at: clock.now) { step in
                calls += 1
                if calls == 2 { throw Killed() }
                try outbox.keep(step.wrapped)
            }
        }
        let keeper = KeyKeeper(keys)
        #expect(keeper.report.isPending && keeper.report.fingerprint == next.fingerprint)
        try await keeper.rotate(to: next.content, in: outbox, by: "test", at: clock.now)
        #expect(!keeper.report.isPending && keeper.report.fingerprint == next.fingerprint && keeper.report.isResealing)
        await #expect(throws: Problem.self) { try await keeper.rotate(to: next.content, in: outbox, by: "test", at: clock.now) }
        let found = try load()
        #expect(found.master == next && found.wrapped.isSealed(onlyFor: next))
    }

    // MARK: Files from a backup

    private func content(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: directory(name))) }

    private func write(_ content: Data, _ name: String) throws {
        try content.write(to: URL(fileURLWithPath: directory(name)))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: directory(name))
    }

    /// The store's copy of the keyring must stay for the right key.
    @Test func keysThatAreOlderThanTheStoreAreRefused() async throws {
        let keeper = KeyKeeper(try load())
        let (oldKey, oldKeyring) = (try content("homing.key"), try content("homing.keyring"))
        let outbox = try open(keeper.vault)
        try keeper.copy(to: outbox, at: clock.now)
        try await keeper.rotate(to: nil, in: outbox, by: "test", at: clock.now)
        _ = try await outbox.enqueue(mutation(1), at: clock.now)
        try await resealer(keeper, outbox).resealAll()
        try outbox.close()
        let newKey = try content("homing.key")
        try write(oldKey, "homing.key")
        try write(oldKeyring, "homing.keyring")
        let older = KeyKeeper(try load())
        let again = try open(older.vault)
        let error = #expect(throws: VaultError.self) { try older.copy(to: again, at: clock.now) }
        #expect(error?.code == .wrongKey && error?.description.contains("are older than the store") == true)
        try again.close()
        // The newest key alone is enough, although the file is an old one.
        try write(newKey, "homing.key")
        let found = KeyKeeper(try load())
        let last = try open(found.vault)
        try found.copy(to: last, at: clock.now)
        #expect(try await last.contents(of: [Samples.id(1)]) { $0 }.count == 1)
    }

    @Test func keyringThatIsOlderThanTheStoreIsReplaced() async throws {
        let keeper = KeyKeeper(try load())
        let outbox = try open(keeper.vault)
        try keeper.copy(to: outbox, at: clock.now)
        var files: [Data] = []
        var keys = try load()
        try keys.rotate(at: clock.now) { step in
            try outbox.keep(step.wrapped)
            keeper.vault.adopt(step.keyring)
            files.append(try content("homing.keyring"))
        }
        _ = try await outbox.enqueue(mutation(1), at: clock.now)
        try outbox.close()
        // Its new master key opens that of the interrupted change too.
        try write(files[0], "homing.keyring")
        let found = KeyKeeper(try load())
        let again = try open(found.vault)
        try found.copy(to: again, at: clock.now)
        #expect(try await again.contents(of: [Samples.id(1)]) { $0 }.count == 1)
    }

    /// A backup from before the change was restored by mistake, and then the store was moved back.
    @Test func storeThatIsMovedBackAfterARestoreLosesNothing() async throws {
        let before = try load()
        let keeper = KeyKeeper(before)
        let outbox = try open(keeper.vault)
        try keeper.copy(to: outbox, at: clock.now)
        try await keeper.rotate(to: nil, in: outbox, by: "test", at: clock.now)
        _ = try await outbox.enqueue(mutation(1), at: clock.now)
        try await resealer(keeper, outbox).resealAll()
        try outbox.close()
        // As a restore with the old key leaves it.
        let present = try load()
        let restored = try WrappedKeyring(
            before.keyring.rotated(at: clock.now), under: [present.master], number: present.wrapped.number + 1)
        try write(restored.content, "homing.keyring")
        let found = KeyKeeper(try load())
        let again = try open(found.vault)
        try found.copy(to: again, at: clock.now)
        #expect(try found.hasEarlier && again.storedKeyring() == content("homing.keyring"))
        #expect(try await again.contents(of: [Samples.id(1)]) { $0 }.count == 1)
        try await resealer(found, again).resealAll()
        try again.close()
        let last = try load()
        #expect(!last.keyring.hasEarlier)
        let end = try open(last.vault())
        #expect(try await end.contents(of: [Samples.id(1)]) { $0 }.count == 1)
        try end.close()
    }

    /// With older keys, a salvage would take most of the data for damaged.
    @Test func damagedStoreIsNotSalvagedWithOlderKeys() async throws {
        try await DaemonStation.with { station in
            let state = station.configuration.stateDirectory
            func read(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: "\(state)/\(name)")) }
            func put(_ content: Data, _ name: String) throws { try content.write(to: URL(fileURLWithPath: "\(state)/\(name)")) }
            var (oldKey, oldKeyring, id) = (Data(), Data(), "")
            try await station.running {
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "a test"))
                (oldKey, oldKeyring) = try (read("homing.key"), read("homing.keyring"))
                _ = try await station.client.call(Endpoints.rotateKey, KeyRotation())
                try await station.event { $0.kind == "resealed" }
                id = try await station.submit().id
            }
            let newKey = try read("homing.key")
            var damaged = try read("outbox.sqlite")
            damaged.resetBytes(in: 0..<100)
            try put(damaged, "outbox.sqlite")
            try put(oldKey, "homing.key")
            try put(oldKeyring, "homing.keyring")
            let error = await #expect(throws: VaultError.self) { _ = try await station.daemon() }
            #expect(error?.description.contains("are older than the store") == true)
            #expect(!FileManager.default.fileExists(atPath: state + "/damaged"))
            #expect(try read("outbox.sqlite") == damaged)
            // The newest key alone is enough, although the keyring is an old one.
            try put(newKey, "homing.key")
            try await station.running {
                let entry = try await station.client.call(Endpoints.entry, EntryReference(id: id)).entry
                #expect(entry.state != "held", "\(entry.holdReason ?? "")")
            }
        }
    }

    /// A copy from before the change, whose data would all count as damaged.
    @Test func damagedStoreOfTheEarlierKeyIsNotSalvaged() async throws {
        try await DaemonStation.with { station in
            let state = station.configuration.stateDirectory
            let store = URL(fileURLWithPath: "\(state)/outbox.sqlite")
            try await station.running { _ = try await station.status() }
            var copy = try Data(contentsOf: store)
            copy.resetBytes(in: 0..<100)
            try await station.running {
                _ = try await station.client.call(Endpoints.rotateKey, KeyRotation())
                try await station.event { $0.kind == "resealed" }
            }
            let keyring = try Data(contentsOf: URL(fileURLWithPath: "\(state)/homing.keyring"))
            try copy.write(to: store)
            let error = await #expect(throws: VaultError.self) { _ = try await station.daemon() }
            #expect(error?.description.hasPrefix("The store has another keyring than ") == true)
            #expect(!FileManager.default.fileExists(atPath: state + "/damaged"))
            #expect(try Data(contentsOf: store) == copy)
            #expect(try Data(contentsOf: URL(fileURLWithPath: "\(state)/homing.keyring")) == keyring)
        }
    }

    @Test(arguments: ["", "short"]) func malformedNewKeyChangesNothing(content: String) async throws {
        let keeper = KeyKeeper(try load())
        let outbox = try open(keeper.vault)
        let before = keeper.report
        await #expect(throws: Problem.self) { try await keeper.rotate(to: Data(content.utf8), in: outbox, by: "test", at: clock.now) }
        #expect(keeper.report == before)
    }

    // MARK: With a daemon

    @Test func storeReplacesALostKeyring() async throws {
        try await DaemonStation.with { station in
            let state = station.configuration.stateDirectory
            var id = ""
            try await station.running {
                _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "a test"))
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                id = try await station.submit().id
                _ = try await station.client.call(Endpoints.rotateKey, KeyRotation())
                try await station.event { $0.kind == "resealed" }
            }
            try FileManager.default.removeItem(atPath: state + "/homing.keyring")
            try await station.running {
                _ = try await station.client.call(Endpoints.resume, ResumeRequest())
                try await station.delivered(id)
            }
            #expect(station.sandbox.ledger.entries.count == 1)
        }
    }
}
