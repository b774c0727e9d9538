import Files
import Foundation
import Testing

@testable import Vault

final class StationKeysTests {
    private let folder = NSTemporaryDirectory() + "homing-" + UUID().uuidString
    private var keyPath: String { "\(folder)/homing.key" }

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func load(_ environment: [String: String] = [:]) throws -> VaultKey {
        try StationKeys.load(environment: environment, stateDirectory: folder).master
    }

    private func error(_ environment: [String: String] = [:]) throws -> VaultError {
        try #require(#expect(throws: VaultError.self) { try load(environment) })
    }

    private func content(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")) }
    private func write(_ data: Data, _ name: String) throws {
        let path = "\(folder)/\(name)"
        try data.write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
    private var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } }

    @Test func firstStartCreatesKeyForLaterStarts() throws {
        let key = try load()
        #expect(try names == ["homing.key", "homing.keyring"])
        #expect(try FileManager.default.attributesOfItem(atPath: keyPath)[.posixPermissions] as? Int == 0o600)
        #expect(try load() == key)
        #expect(try Data(base64Encoded: String(decoding: content("homing.key").dropLast(), as: UTF8.self))?.count == 32)
    }

    @Test func aKeyMayBeRawOrBase64() throws {
        let raw = Data((0..<32).map { UInt8($0) })
        try write(raw, "homing.key")
        let key = try load()
        try write(Data("  \(raw.base64EncodedString())\n\n".utf8), "homing.key")
        #expect(try load() == key)
    }

    @Test(arguments: [0, 31, 33, 44])
    func keyOfWrongLengthIsAnErrorAndStays(length: Int) throws {
        let bytes = Data(repeating: 7, count: length)
        try write(bytes, "homing.key")
        let error = try error()
        #expect(error.code == .malformedKey && error.description.contains("expected 32 random bytes"))
        #expect(try content("homing.key") == bytes)
    }

    /// Another user's pipe must not stop root, nor a large file fill the memory.
    @Test(arguments: [true, false]) func keyThatIsNoSmallFileIsAnError(isPipe: Bool) throws {
        if isPipe { #expect(mkfifo(keyPath, 0o600) == 0) } else { try write(Data(count: 4097), "homing.key") }
        let error = try error()
        #expect(error.code == .malformedKey && error.description.contains("is not a regular file of at most 4096 bytes"))
    }

    @Test(arguments: [true, false]) func keyringThatIsNoSmallFileCountsAsDamaged(isPipe: Bool) throws {
        let keys = try StationKeys.load(environment: [:], stateDirectory: folder)
        try FileManager.default.removeItem(atPath: "\(folder)/homing.keyring")
        if isPipe {
            #expect(mkfifo("\(folder)/homing.keyring", 0o600) == 0)
        } else {
            try write(keys.wrapped.content + Data(count: 1 << 16), "homing.keyring")
        }
        let again = try StationKeys.load(environment: [:], stateDirectory: folder) { [keys.wrapped.content] }
        #expect(again.keyring == keys.keyring)
        #expect(try content("homing.keyring") == keys.wrapped.content)
    }

    @Test func aWrongKeyIsAnErrorAndChangesNothing() throws {
        _ = try load()
        let keyring = try content("homing.keyring")
        try write(Data(repeating: 9, count: 32), "homing.key")
        #expect(try error().code == .wrongKey)
        #expect(try content("homing.keyring") == keyring)
        #expect(try content("homing.key") == Data(repeating: 9, count: 32))
    }

    // MARK: A missing or damaged keyring

    private static let damages: [(String, @Sendable (Data) -> Data?)] = [
        ("removed", { _ in nil }), ("emptied", { _ in Data() }), ("cut", { $0.prefix(40) }), ("zeroed", { Data(count: $0.count) }),
        ("flipped in its number", { flipped($0, at: 7) }), ("zeroed in its length", { $0.prefix(8) + Data(count: 2) + $0.dropFirst(10) }),
        ("flipped in the keyring", { flipped($0, at: 30) }),
    ]

    private static func flipped(_ content: Data, at place: Int) -> Data {
        var changed = content
        changed[place] ^= 1
        return changed
    }

    /// Returns the keyring from before.
    private func damage(_ change: (Data) -> Data?) throws -> Keyring {
        let keys = try StationKeys.load(environment: [:], stateDirectory: folder)
        try write(Data("x".utf8), "outbox.sqlite")
        let path = "\(folder)/homing.keyring"
        if let damaged = change(keys.wrapped.content) {
            try write(damaged, "homing.keyring")
        } else {
            try FileManager.default.removeItem(atPath: path)
        }
        return keys.keyring
    }

    @Test(arguments: damages.indices) func copyInTheStoreReplacesADamagedKeyring(number: Int) throws {
        let copy = try StationKeys.load(environment: [:], stateDirectory: folder).wrapped.content
        let keyring = try damage(Self.damages[number].1)
        let keys = try StationKeys.load(environment: [:], stateDirectory: folder) { [Data("damaged".utf8), copy] }
        #expect(keys.keyring == keyring, "\(Self.damages[number].0)")
        #expect(try content("homing.keyring") == copy)
    }

    @Test(arguments: damages.indices) func damageIsNoWrongKey(number: Int) throws {
        _ = try damage(Self.damages[number].1)
        let error = try error()
        #expect(error.code == .keyMissing && error.description.contains("/homing.keyring is missing or damaged"))
    }

    @Test func copyOfAnotherKeyIsAWrongKey() throws {
        _ = try damage { _ in nil }
        let copy = try WrappedKeyring(Keyring(at: Date()), under: [VaultKey()]).content
        let error = #expect(throws: VaultError.self) { try StationKeys.load(environment: [:], stateDirectory: folder) { [copy] } }
        #expect(error?.code == .wrongKey)
    }

    @Test func changedChecksumIsWrittenAgain() throws {
        let keyring = try damage { Self.flipped($0, at: $0.count - 1) }
        let keys = try StationKeys.load(environment: [:], stateDirectory: folder)
        #expect(keys.keyring == keyring)
        #expect(try WrappedKeyring(parsing: content("homing.keyring")).isWhole)
    }

    /// The file opens, but reading it fails with EIO.
    @Test func unreadableKeyringCountsAsDamaged() throws {
        let keys = try StationKeys.load(environment: [:], stateDirectory: folder)
        let path = "\(folder)/homing.keyring"
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/proc/self/mem")
        #expect(throws: FileError.self) { try DurableFile(path: path).read() }
        let again = try StationKeys.load(environment: [:], stateDirectory: folder) { [keys.wrapped.content] }
        #expect(again.keyring == keys.keyring)
        #expect(try content("homing.keyring") == keys.wrapped.content)
    }

    /// A first start that was killed between the key and the keyring.
    @Test func keyWithoutKeyringAndDataGetsANewKeyring() throws {
        let key = VaultKey()
        try write(key.content, "homing.key")
        #expect(try load() == key)
        #expect(try names == ["homing.key", "homing.keyring"])
    }

    // MARK: A missing key

    @Test(arguments: ["homing.keyring", "outbox.sqlite"])
    func missingKeyIsNotReplacedIfStateExists(state: String) throws {
        try write(Data("x".utf8), state)
        #expect(try error().code == .keyMissing)
        #expect(try names == [state])
    }

    @Test(arguments: [0o640, 0o604, 0o660])
    func keyReadableByOthersIsAnErrorWithRemedy(mode: Int) throws {
        _ = try load()
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: keyPath)
        let error = try error()
        #expect(error.code == .exposedKey && error.description.contains("chmod 600 \(keyPath)"))
    }

    /// A daemon that runs as root, too. The owner of the folder can replace the key in any case.
    @Test(.enabled(if: geteuid() == 0, "takes root: it changes the owner")) func keyOfAnotherUserIsAnError() throws {
        let key = try load()
        #expect(chown(keyPath, 61_001, 61_001) == 0)
        let error = try error()
        #expect(error.code == .exposedKey && error.description.contains("belongs to another user, who can replace it"))
        #expect(chown(folder, 61_001, 61_001) == 0)
        #expect(try load() == key)
    }

    @Test func credentialTakesPrecedenceAndNoFileIsCreated() throws {
        let credentials = "\(folder)/credentials"
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)
        try Data(repeating: 3, count: 32).write(to: URL(fileURLWithPath: "\(credentials)/homing.key"))
        #expect(try load(["CREDENTIALS_DIRECTORY": credentials]) == VaultKey(parsing: Data(repeating: 3, count: 32)))
        #expect(try names == ["credentials", "homing.keyring"])
        // Without the credential the key is missing, and no new one is created.
        #expect(try error().code == .keyMissing)
    }

    private func find() throws -> VaultKey? { try StationKeys.find(environment: [:], stateDirectory: folder)?.master }

    @Test func findsTheKeyWithoutWriting() throws {
        #expect(try find() == nil)
        #expect(try names == [])
        let key = try load()
        #expect(try find() == key)
        try FileManager.default.removeItem(atPath: "\(folder)/homing.keyring")
        #expect(try find() == nil)
        #expect(try names == ["homing.key"])
    }

    @Test func findThrowsTheErrorsOfLoad() throws {
        _ = try load()
        let damages: [() throws -> Void] = [
            { try self.write(Data(repeating: 9, count: 32), "homing.key") }, { try self.write(Data("short".utf8), "homing.key") },
            { chmod(self.keyPath, 0o644) }, { try FileManager.default.removeItem(atPath: self.keyPath) },
        ]
        for damage in damages {
            try damage()
            let expected = try error()
            #expect(throws: expected) { try find() }
        }
    }

    @Test func usesFileIfCredentialIsMissing() throws {
        let key = try load()
        #expect(try load(["CREDENTIALS_DIRECTORY": "/nowhere"]) == key)
    }
}
