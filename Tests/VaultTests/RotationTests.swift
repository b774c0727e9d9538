import Foundation
import TestSupport
import Testing

@testable import Vault

/// Changes of the master key and the data key, each step of which may be the last of its process.
@Suite struct RotationTests {
    private let directory: TemporaryDirectory
    private let now = Date(timeIntervalSince1970: 1_765_000_000.5)
    private struct Killed: Error {}

    init() throws { directory = try TemporaryDirectory() }

    private var state: String { directory.path }
    private func load(_ environment: [String: String] = [:], copies: [Data] = []) throws -> StationKeys {
        try StationKeys.load(environment: environment, stateDirectory: state) { copies }
    }

    private func content(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: directory(name))) }

    private func write(_ content: Data, _ name: String) throws {
        try content.write(to: URL(fileURLWithPath: directory(name)))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: directory(name))
    }

    @Test func newKeysOpenWhatTheEarlierOnesSealed() throws {
        var keys = try load()
        let (before, vault) = (keys, keys.vault())
        let sealed = try vault.seal(Data("capture".utf8), as: "1")
        var steps: [StationKeys] = []
        try keys.rotate(at: now) { steps.append($0) }
        #expect(steps.map(\.isPending) == [true, false])
        #expect(keys.master != before.master && keys.keyring.madeAt == now && keys.keyring.hasEarlier)
        #expect(try content("homing.key") == keys.master.content)
        let again = try load()
        #expect(again.master == keys.master && again.keyring == keys.keyring)
        #expect(try again.vault().open(sealed, as: "1") == Data("capture".utf8))
        #expect(again.vault().keyedDigest(Data("1".utf8)) == vault.keyedDigest(Data("1".utf8)))
        #expect(keys.wrapped.opened(by: before.master) == nil)
    }

    /// The files before the change, after each write of the keyring, and after the change: with all mixtures that a crash can leave.
    @Test func everyStepCanBeTheLast() throws {
        var keys = try load()
        let (before, oldKey) = (keys, try content("homing.key"))
        let old = try before.vault().seal(Data("old".utf8), as: "1")
        var keyrings: [Data] = []
        try keys.rotate(at: now) { _ in keyrings.append(try content("homing.keyring")) }
        let new = try keys.vault().seal(Data("new".utf8), as: "2")
        let newKey = try content("homing.key")
        // 0: before; 1: two wrappings; 2: the new key; 3: one wrapping.
        let disks = [(oldKey, before.wrapped.content), (oldKey, keyrings[0]), (newKey, keyrings[0]), (newKey, keyrings[1])]
        for (step, disk) in disks.enumerated() {
            try write(disk.0, "homing.key")
            try write(disk.1, "homing.keyring")
            try write(Data("x".utf8), "outbox.sqlite")
            let found = try load()
            #expect(!found.isPending, "step \(step)")
            #expect(try found.vault().open(old, as: "1") == Data("old".utf8), "step \(step)")
            // Nothing is sealed with the new data key before the last step is durable.
            if step == 3 { #expect(try found.vault().open(new, as: "2") == Data("new".utf8)) }
            #expect((found.keyring.current != before.keyring.current) == (step > 1), "step \(step)")
            let settled = try WrappedKeyring(parsing: content("homing.keyring"))
            #expect(settled.wrappings.count == 1 && settled.opened(by: found.master)?.keyring == found.keyring, "step \(step)")
        }
    }

    @Test(arguments: [1, 2]) func failedStoreLeavesUsableKeys(step: Int) throws {
        var keys = try load()
        let old = try keys.vault().seal(Data("old".utf8), as: "1")
        var calls = 0
        #expect(throws: Killed.self) {
            try keys.rotate(at: now) { _ in
                calls += 1
                if calls == step { throw Killed() }
            }
        }
        #expect(try keys.vault().open(old, as: "1") == Data("old".utf8))
        // The next change begins with the key that is in its place.
        try keys.rotate(at: now) { _ in }
        let found = try load()
        #expect(found.keyring == keys.keyring && found.master == keys.master)
        #expect(try found.vault().open(old, as: "1") == Data("old".utf8))
    }

    @Test func earlierKeysAreForgottenInTheFileToo() throws {
        var keys = try load()
        let old = try keys.vault().seal(Data("old".utf8), as: "1")
        try keys.rotate(at: now) { _ in }
        var stored: [StationKeys] = []
        let isForgotten = try keys.forgetEarlier { stored.append($0) }
        #expect(isForgotten && !keys.keyring.hasEarlier && stored.map(\.keyring) == [keys.keyring])
        #expect(throws: VaultError.self) { try load().vault().open(old, as: "1") }
    }

    // MARK: Credentials

    private func credential(_ key: VaultKey) throws -> [String: String] {
        try FileManager.default.createDirectory(atPath: directory("credentials"), withIntermediateDirectories: true)
        try write(key.content, "credentials/homing.key")
        return ["CREDENTIALS_DIRECTORY": directory("credentials")]
    }

    @Test func newCredentialCompletesTheChangeAtItsFirstStart() throws {
        let (old, new) = (VaultKey(), VaultKey())
        let environment = try credential(old)
        var keys = try load(environment)
        try keys.rotate(to: new, at: now) { _ in }
        #expect(keys.isPending && keys.master == old)
        let isForgotten = try keys.forgetEarlier { _ in }
        #expect(!isForgotten)
        // Any number of starts with the old one.
        for _ in 0..<2 { #expect(try load(environment).isPending) }
        _ = try credential(new)
        let found = try load(environment)
        #expect(!found.isPending && found.keyring.earlier == [keys.keyring.current])
        #expect(throws: VaultError.self) { try load(credential(old)) }
    }

    @Test func secondNewKeyReplacesAPendingOne() throws {
        let keysOfAll = [VaultKey(), VaultKey(), VaultKey()]
        let environment = try credential(keysOfAll[0])
        var keys = try load(environment)
        for key in keysOfAll.dropFirst() { try keys.rotate(to: key, at: now) { _ in } }
        #expect(keys.wrapped.opened(by: keysOfAll[1]) == nil)
        _ = try credential(keysOfAll[2])
        #expect(try load(environment).keyring.earlier == [keys.keyring.current])
    }

    // MARK: What the old master key opens

    /// In any copy of the file or the store, also one from the middle of a change.
    @Test func oldMasterKeyNeverOpensTheNewDataKey() throws {
        var keys = try load()
        let before = keys
        var steps: [StationKeys] = []
        try keys.rotate(at: now) { steps.append($0) }
        let isForgotten = try keys.forgetEarlier { steps.append($0) }
        #expect(isForgotten && steps.count == 3)
        for step in steps {
            let opened = step.wrapped.opened(by: before.master)?.keyring
            #expect(opened == nil || opened == before.keyring)
        }
        #expect(keys.keyring.current != before.keyring.current)
    }

    @Test func oldCredentialNeverOpensTheNewDataKey() throws {
        let (old, new) = (VaultKey(), VaultKey())
        let environment = try credential(old)
        var keys = try load(environment)
        try keys.rotate(to: new, at: now) { _ in }
        let pending = try #require(keys.wrapped.opened(by: old)?.keyring)
        _ = try credential(new)
        let found = try load(environment)
        #expect(found.keyring.current != pending.current && found.wrapped.opened(by: old) == nil)
    }

    // MARK: Copies of different age

    @Test func numberGrowsWithEachChange() throws {
        var keys = try load()
        var numbers = [keys.wrapped.number]
        try keys.rotate(at: now) { numbers.append($0.wrapped.number) }
        let isForgotten = try keys.forgetEarlier { numbers.append($0.wrapped.number) }
        #expect(isForgotten && numbers == [1, 2, 3, 4])
        #expect(try load().wrapped.number == 4)
        var changed = try content("homing.keyring")
        changed[7] ^= 1
        #expect(WrappedKeyring(parsing: changed).opened(by: keys.master) == nil)
    }

    @Test func newerCopyInTheStoreIsTaken() throws {
        var keys = try load()
        var steps: [StationKeys] = []
        try keys.rotate(at: now) { steps.append($0) }
        for older in [steps[0], keys] {
            var found = older
            found.master = keys.master
            try found.take(keys.wrapped, at: now)
            #expect(found.keyring == keys.keyring && found.wrapped == keys.wrapped)
            #expect(try content("homing.keyring") == keys.wrapped.content)
        }
    }

    /// In any order, as in a damaged store.
    @Test func newestCopyIsTakenIfTheFileIsLost() throws {
        var keys = try load()
        try keys.rotate(at: now) { _ in }
        let rotated = keys.wrapped.content
        let isForgotten = try keys.forgetEarlier { _ in }
        let copies = [rotated, keys.wrapped.content]
        for copies in [copies, copies.reversed()] {
            try FileManager.default.removeItem(atPath: directory("homing.keyring"))
            #expect(try isForgotten && load(copies: copies).keyring == keys.keyring)
        }
    }

    @Test func newerCopyOfAnotherKeyIsAnError() throws {
        var keys = try load()
        let before = keys
        try keys.rotate(at: now) { _ in }
        var older = before
        let error = #expect(throws: VaultError.self) { try older.take(keys.wrapped, at: now) }
        #expect(error?.code == .wrongKey)
        // A damaged copy changes nothing.
        try older.take(WrappedKeyring(parsing: Data(keys.wrapped.content.dropLast())), at: now)
        #expect(older.keyring == before.keyring && older.wrapped == before.wrapped)
    }

    /// The copy that a crash left in the store, before or in the middle of a change.
    @Test func olderCopyOfTheSameKeysChangesNothing() throws {
        var keys = try load()
        let before = keys
        var steps: [StationKeys] = []
        try keys.rotate(at: now) { steps.append($0) }
        var interrupted = steps[0]
        let isTaken = try [interrupted.take(before.wrapped, at: now), keys.take(steps[0].wrapped, at: now)]
        #expect(isTaken == [false, false] && interrupted.wrapped == steps[0].wrapped && keys.wrapped == steps[1].wrapped)
    }

    /// It may be the only copy of the keyring of its data.
    @Test func olderCopyOfOtherKeysIsAnErrorAndStays() throws {
        var keys = try load()
        try keys.rotate(at: now) { _ in }
        let file = try content("homing.keyring")
        let others = try [
            WrappedKeyring(Keyring(at: now), under: [VaultKey()]), WrappedKeyring(Keyring(at: now), under: [keys.master]),
            WrappedKeyring(Keyring(at: now), under: [keys.master], number: keys.wrapped.number),
        ]
        for other in others {
            let error = #expect(throws: VaultError.self) { try keys.take(other, at: now) }
            #expect(error?.code == .wrongKey && error?.description.hasSuffix("repeat homingd restore.") == true)
        }
        #expect(try content("homing.keyring") == file)
    }

    // MARK: An older store that was put back

    /// A backup from before the change was restored beside it, and got a data key of its own.
    @Test func dataKeyOfAStoreThatWasPutBackIsAdded() throws {
        var keys = try load()
        let before = keys
        try keys.rotate(at: now) { _ in }
        let sealed = try keys.vault().seal(Data("new".utf8), as: "1")
        let stored = keys.wrapped
        keys.keyring = before.keyring.rotated(at: now)
        keys.wrapped = try WrappedKeyring(keys.keyring, under: [keys.master], number: stored.number + 1)
        try keys.write()
        let restored = keys
        let isTaken = try keys.take(stored, at: now)
        #expect(isTaken && keys.wrapped.number == stored.number + 2 && keys.keyring.current == restored.keyring.current)
        #expect(keys.keyring.earlierCount == 2)
        #expect(try keys.vault().open(sealed, as: "1") == Data("new".utf8))
        #expect(try load().keyring == keys.keyring && content("homing.keyring") == keys.wrapped.content)
        // Once is enough.
        let isTakenAgain = try keys.take(stored, at: now)
        #expect(!isTakenAgain)
    }

    @Test func dataKeyOfACopyFromAPendingChangeIsAdded() throws {
        let (old, new) = (VaultKey(), VaultKey())
        let environment = try credential(old)
        var keys = try load(environment)
        let sealed = try keys.vault().seal(Data("old".utf8), as: "1")
        try keys.rotate(to: new, at: now) { _ in }
        _ = try credential(new)
        var found = try load(environment)
        let isForgotten = try found.forgetEarlier { _ in }
        #expect(throws: VaultError.self) { try found.vault().open(sealed, as: "1") }
        let number = found.wrapped.number
        let isTaken = try found.take(keys.wrapped, at: now)
        #expect(isForgotten && isTaken && found.wrapped.number == number + 1 && found.wrapped.isSealed(onlyFor: new))
        #expect(try found.vault().open(sealed, as: "1") == Data("old".utf8))
        #expect(try load(environment).keyring == found.keyring)
    }

    /// The merged keyring could not be sealed for the new master key.
    @Test func olderStoreDoesNotCallOffAPendingChange() throws {
        let environment = try credential(VaultKey())
        var keys = try load(environment)
        let stored = try WrappedKeyring(keys.keyring.rotated(at: now), under: [keys.master])
        try keys.rotate(to: VaultKey(), at: now) { _ in }
        let file = try content("homing.keyring")
        let error = #expect(throws: VaultError.self) { try keys.take(stored, at: now) }
        #expect(error?.code == .unchangeable && error?.description.contains("while a new master key waits") == true)
        #expect(try keys.isPending && content("homing.keyring") == file)
    }

    @Test func olderStoreWithTooManyDataKeysIsRefused() throws {
        var keys = try load()
        var other = keys.keyring
        for _ in 0..<100 { other = other.rotated(at: now) }
        let stored = try WrappedKeyring(other, under: [keys.master])
        keys.wrapped = try WrappedKeyring(keys.keyring.rotated(at: now), under: [keys.master], number: 2)
        try keys.write()
        var found = try load()
        let before = found
        let error = #expect(throws: VaultError.self) { try found.take(stored, at: now) }
        #expect(error?.code == .unchangeable && error?.description.contains("more than 100 earlier data keys") == true)
        #expect(try found.wrapped == before.wrapped && content("homing.keyring") == before.wrapped.content)
    }

    // MARK: The key of the store

    /// After an older key and keyring were put back.
    @Test func keyOfTheStoreCountsAndNotThatOfAnOlderFile() throws {
        var keys = try load()
        let before = keys
        try keys.rotate(at: now) { _ in }
        let stored = [before.wrapped.content, keys.wrapped.content]
        let copies = { stored }
        try write(before.master.content, "homing.key")
        try write(before.wrapped.content, "homing.keyring")
        try write(Data("x".utf8), "outbox.sqlite")
        #expect(try StationKeys.opens(before.master, in: state, copies: copies) == false)
        #expect(try StationKeys.opens(keys.master, in: state, copies: copies) == true)
        #expect(try StationKeys.opens(before.master, in: state) == true)
        let error = #expect(throws: VaultError.self) { try StationKeys.find(environment: [:], stateDirectory: state, copies: copies) }
        #expect(error?.code == .wrongKey && error?.description.contains("are older than the store") == true)
        try write(keys.master.content, "homing.key")
        let found = try StationKeys.find(environment: [:], stateDirectory: state, copies: copies)
        #expect(found?.keyring == keys.keyring)
        #expect(try content("homing.keyring") == before.wrapped.content)
    }

    @Test func findAddsTheDataKeysOfAnOlderStore() throws {
        var keys = try load()
        let stored = keys
        keys.keyring = keys.keyring.rotated(at: now).withoutEarlier
        keys.wrapped = try WrappedKeyring(keys.keyring, under: [keys.master], number: 4)
        try keys.write()
        let copies = { [stored.wrapped.content] }
        let found = try StationKeys.find(environment: [:], stateDirectory: state, copies: copies)
        #expect(found?.keyring.current == keys.keyring.current && found?.keyring.earlier == [stored.keyring.current])
        #expect(try StationKeys.opens(keys.master, in: state, copies: copies) == true)
        #expect(try content("homing.keyring") == keys.wrapped.content)
    }

    // MARK: A damaged store

    /// Also behind a newer copy.
    @Test(arguments: [true, false]) func dataKeysOfADamagedOlderStoreAreAdded(hasNewest: Bool) throws {
        var keys = try load()
        let sealed = try keys.vault().seal(Data("old".utf8), as: "1")
        let older = try WrappedKeyring(keys.keyring, under: [VaultKey(), keys.master])
        keys.keyring = keys.keyring.rotated(at: now).withoutEarlier
        keys.wrapped = try WrappedKeyring(keys.keyring, under: [keys.master], number: 4)
        try keys.write()
        let copies = [WrappedKeyring(parsing: Data("damaged".utf8)), older] + (hasNewest ? [keys.wrapped] : [])
        let isTaken = try keys.take(fromDamaged: copies, at: now)
        #expect(isTaken && keys.wrapped.number == 5)
        #expect(try keys.vault().open(sealed, as: "1") == Data("old".utf8))
        #expect(try load().keyring == keys.keyring)
    }

    @Test func damagedStoreOfOtherKeysIsAnError() throws {
        var keys = try load()
        let before = keys
        try keys.rotate(at: now) { _ in }
        // The earlier data key opens what a damaged change has left.
        let isTaken = try keys.take(fromDamaged: [before.wrapped], at: now)
        #expect(!isTaken && keys.keyring.hasEarlier)
        let isForgotten = try keys.forgetEarlier { _ in }
        let file = try content("homing.keyring")
        let others = try [before.wrapped, WrappedKeyring(Keyring(at: now), under: [keys.master])]
        for other in others {
            let error = #expect(throws: VaultError.self) { try keys.take(fromDamaged: [other], at: now) }
            #expect(error?.code == .wrongKey)
        }
        #expect(try isForgotten && content("homing.keyring") == file)
        // Nor behind a copy of these keys.
        let isChanged = try keys.take(fromDamaged: others + [keys.wrapped], at: now)
        #expect(!isChanged)
    }

    /// The old data counts as damaged, and stays in the folder of damaged files.
    @Test func damagedOlderStoreDoesNotCallOffAPendingChange() throws {
        let environment = try credential(VaultKey())
        var keys = try load(environment)
        let older = try WrappedKeyring(keys.keyring.rotated(at: now), under: [keys.master])
        try keys.rotate(to: VaultKey(), at: now) { _ in }
        let isTaken = try keys.take(fromDamaged: [older], at: now)
        #expect(!isTaken && keys.isPending)
    }

    // MARK: Changes that are refused or follow a failed one

    /// As after a sync that failed when the new key had its name.
    @Test func changeAfterAFailedOneBeginsWithTheKeyInPlace() throws {
        var keys = try load()
        let next = VaultKey()
        keys.wrapped = try WrappedKeyring(keys.keyring, under: [keys.master, next], number: 2)
        try keys.write()
        try write(next.content, "homing.key")
        #expect(throws: Killed.self) { try keys.rotate(at: now) { _ in throw Killed() } }
        let found = try load()
        #expect(found.master == next && found.keyring.earlier == [keys.keyring.current])
    }

    @Test func keyBehindALinkIsNotReplaced() throws {
        var keys = try load()
        let before = keys
        try FileManager.default.moveItem(atPath: directory("homing.key"), toPath: directory("elsewhere"))
        try FileManager.default.createSymbolicLink(atPath: directory("homing.key"), withDestinationPath: directory("elsewhere"))
        let error = #expect(throws: VaultError.self) { try keys.rotate(at: now) { _ in } }
        #expect(error?.code == .unchangeable && error?.description.contains("is a symbolic link") == true)
        #expect(keys.master == before.master && keys.wrapped == before.wrapped)
        #expect(try content("elsewhere") == before.master.content && content("homing.keyring") == before.wrapped.content)
    }

    @Test func changesWithoutSealingAgainAreLimited() throws {
        var keys = try load()
        for _ in 0..<100 { try keys.rotate(at: now) { _ in } }
        let error = #expect(throws: VaultError.self) { try keys.rotate(at: now) { _ in } }
        #expect(error?.code == .unchangeable)
        #expect(try load().keyring == keys.keyring)
    }

    /// Without write access at each step.
    @Test(.enabled(if: geteuid() != 0, "root may write anywhere")) func readOnlyFolderChangesNothing() throws {
        var keys = try load()
        let before = keys
        chmod(directory.path, 0o500)
        defer { chmod(directory.path, 0o700) }
        #expect(throws: (any Error).self) { try keys.rotate(at: now) { _ in } }
        #expect(keys.master == before.master && keys.wrapped == before.wrapped)
        #expect(try load().keyring == before.keyring)
    }

    // MARK: The forms

    /// The next number would be too large.
    @Test(arguments: [8, 40, 300]) func damagedCopyHasNoNumber(size: Int) {
        let damaged = WrappedKeyring(parsing: Data(repeating: 0xFF, count: size))
        #expect(damaged.number == 0 && !damaged.isWhole)
    }

    /// Only its checksum has changed.
    @Test func openedCopyHasItsNumber() throws {
        var keys = try load()
        try keys.rotate(at: now) { _ in }
        var changed = keys.wrapped.content
        changed[changed.count - 1] ^= 1
        let damaged = WrappedKeyring(parsing: changed)
        #expect(damaged.number == 0 && damaged.opened(by: keys.master)?.keyring == keys.keyring)
        try write(changed, "homing.keyring")
        #expect(try load().wrapped.number == 3)
        #expect(try content("homing.keyring") == keys.wrapped.content)
    }

    @Test func keyringKeepsItsKeysAndTheTime() throws {
        let keyring = Keyring(at: now).rotated(at: now.addingTimeInterval(0.123)).rotated(at: now.addingTimeInterval(7.001))
        #expect(Keyring(plain: keyring.plain) == keyring)
        #expect(keyring.plain.count == 8 + 4 * 32)
        #expect(Keyring(plain: keyring.plain.dropLast()) == nil)
        #expect(Keyring(plain: Data(count: 40)) == nil)
        #expect(!keyring.withoutEarlier.hasEarlier)
    }

    @Test func fingerprintTellsKeysApartAndNothingElse() throws {
        let key = try #require(VaultKey(parsing: Data((0..<32).map { UInt8($0) })))
        #expect(try key.fingerprint.wholeMatch(of: Regex("([0-9a-f]{4}-){3}[0-9a-f]{4}")) != nil)
        #expect(key.fingerprint != VaultKey().fingerprint)
        #expect(VaultKey(parsing: key.content) == key)
    }
}
