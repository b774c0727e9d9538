import ControlAPI
import Foundation
import Outbox
import Sandbox
import TestSupport
import Testing
import Vault

@testable import SyncDaemon

@Suite struct StoreRestoreTests {
    private func backUp(_ station: DaemonStation) async throws {
        var file = Data()
        try await station.client.download(Endpoints.backup, NoInput()) { file.append($0) }
        try file.write(to: URL(fileURLWithPath: station.directory("backup")))
    }

    private func restore(_ station: DaemonStation, key: Data? = nil) throws -> String {
        let source = try #require(FileHandle(forReadingAtPath: station.directory("backup")))
        return try StoreRestore(configuration: station.directory("homing.yaml"), environment: [:]).run(
            source, key: key, by: "uid 0, pid 7")
    }

    private func refusal(_ station: DaemonStation, key: Data? = nil) -> String {
        let error = #expect(throws: (any Error).self) { _ = try restore(station, key: key) }
        return error.map { StartError.sentence(for: $0) } ?? ""
    }

    private func path(_ station: DaemonStation, _ name: String) -> String { station.configuration.stateDirectory + "/" + name }

    private func names(_ station: DaemonStation) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: station.configuration.stateDirectory).sorted()
    }

    private func loseStore(_ station: DaemonStation) throws {
        for name in try names(station) where name.hasPrefix("outbox.sqlite") {
            try FileManager.default.removeItem(atPath: path(station, name))
        }
    }

    /// Runs a daemon that delivers an entry, and backs it up before.
    private func backUpAndDeliver(_ station: DaemonStation, then work: () async throws -> Void = {}) async throws -> String {
        var id = ""
        try await station.running {
            _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
            _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "a backup"))
            id = try await station.submit().id
            try await backUp(station)
            _ = try await station.client.call(Endpoints.resume, ResumeRequest())
            try await station.delivered(id)
            try await work()
        }
        return id
    }

    private func isFound(_ id: String, _ station: DaemonStation) async throws -> Bool {
        try await station.client.call(Endpoints.receipt, EntryReference(id: id)).foundByLookup
    }

    @Test func entryThatWasDeliveredSinceIsFoundAndNotSentAgain() async throws {
        try await DaemonStation.with { station in
            let id = try await backUpAndDeliver(station)
            try loseStore(station)
            let text = try restore(station)
            #expect(text.contains("\n  1 entry: looked up at the server, and sent only if missing there\n"), "\(text)")
            #expect(try names(station).allSatisfy { !$0.hasSuffix(".restored") })
            try await station.running {
                let needs = try await station.status().attention
                #expect(needs.contains { $0.knownCode == .paused && $0.text.contains("Homing was restored from a backup") })
                _ = try await station.client.call(Endpoints.resume, ResumeRequest())
                try await station.delivered(id)
                #expect(try await isFound(id, station))
                let records = try await station.client.call(Endpoints.audit, AuditQuery(kind: "backup")).records
                #expect(records.map(\.event) == ["backedUp", "backupRestored"])
                #expect(records.last?.uid == 0 && records.last?.detail["held"] == "0")
            }
            #expect(station.sandbox.ledger.entries.count == 1)
        }
    }

    /// The session of the backup has ended since, as after a sign-out or a refresh of its token.
    @Test func endedSessionNeedsASignIn() async throws {
        try await DaemonStation.with { station in
            let id = try await backUpAndDeliver(station) { station.sandbox.expireSessions(rememberTokens: true) }
            try loseStore(station)
            _ = try restore(station)
            try await station.running {
                _ = try await station.client.call(Endpoints.resume, ResumeRequest())
                try await station.event { $0.kind == "signInRequired" }
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                try await station.delivered(id)
                #expect(try await isFound(id, station))
            }
            #expect(station.sandbox.ledger.entries.count == 1)
        }
    }

    @Test func newStationTakesTheIDOfTheOldOne() async throws {
        try await DaemonStation.with { station in
            _ = try await backUpAndDeliver(station)
            let id = try String(contentsOfFile: path(station, "device-id"), encoding: .utf8)
            let key = try Data(contentsOf: URL(fileURLWithPath: path(station, "homing.key")))
            try FileManager.default.removeItem(atPath: station.configuration.stateDirectory)
            // A daemon has run there: it has a key and an empty store of its own.
            try await station.running { _ = try await station.status() }
            #expect(refusal(station).hasPrefix("The key is not the one of the station that made the backup"))
            try key.write(to: URL(fileURLWithPath: path(station, "homing.key")))
            _ = try restore(station)
            #expect(try String(contentsOfFile: path(station, "device-id"), encoding: .utf8) == id)
            try await station.running {
                let backends = try await station.status().backends
                #expect(backends.count == 1)
            }
        }
    }

    private func content(_ station: DaemonStation, _ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: path(station, name)))
    }

    /// A new station with the key, on which a daemon has run, so that it has an empty store and another keyring.
    private func startAgain(_ station: DaemonStation, with key: Data) async throws {
        try FileManager.default.removeItem(atPath: station.configuration.stateDirectory)
        try FileManager.default.createDirectory(atPath: station.configuration.stateDirectory, withIntermediateDirectories: true)
        try put(key, station)
        try await station.running { _ = try await station.status() }
    }

    private func put(_ key: Data, _ station: DaemonStation) throws {
        let place = path(station, "homing.key")
        #expect(FileManager.default.createFile(atPath: place, contents: key, attributes: [.posixPermissions: 0o600]))
    }

    /// A credential, which only the running service has, opens the keyring of the empty station too.
    @Test func stationWithoutAVisibleKeyTakesTheKeyringOfTheBackup() async throws {
        try await DaemonStation.with { station in
            let id = try await backUpAndDeliver(station)
            let key = try content(station, "homing.key")
            try await startAgain(station, with: key)
            try FileManager.default.removeItem(atPath: path(station, "homing.key"))
            #expect(try restore(station, key: key).contains("The daemon needs this key too"))
            #expect(try !names(station).contains("homing.keyring"))
            try put(key, station)
            try await station.running {
                _ = try await station.client.call(Endpoints.resume, ResumeRequest())
                try await station.delivered(id)
            }
            #expect(station.sandbox.ledger.entries.count == 1)
        }
    }

    /// Killed between the keyring and the store.
    @Test func startAfterAnInterruptedRestoreSaysToRepeatIt() async throws {
        try await DaemonStation.with { station in
            let id = try await backUpAndDeliver(station)
            try await startAgain(station, with: content(station, "homing.key"))
            let empty = try names(station).filter { $0.hasPrefix("outbox.sqlite") }.map { ($0, try content(station, $0)) }
            _ = try restore(station)
            let keyring = try content(station, "homing.keyring")
            try loseStore(station)
            for (name, content) in empty { try content.write(to: URL(fileURLWithPath: path(station, name))) }
            let error = await #expect(throws: VaultError.self) { _ = try await station.daemon() }
            #expect(error?.description.hasSuffix("After an interrupted restore, repeat homingd restore.") == true)
            #expect(try content(station, "homing.keyring") == keyring)
            _ = try restore(station)
            try await station.running {
                _ = try await station.client.call(Endpoints.resume, ResumeRequest())
                try await station.delivered(id)
            }
        }
    }

    @Test func failedRestoreKeepsTheKeyringAndTheID() async throws {
        try await DaemonStation.with { station in
            _ = try await backUpAndDeliver(station)
            try await startAgain(station, with: content(station, "homing.key"))
            let (keyring, id) = (try content(station, "homing.keyring"), try content(station, "device-id"))
            // The draft of the noted id cannot be written.
            let obstacle = path(station, "outbox.sqlite.restored-id.tmp")
            try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: true)
            #expect(refusal(station).contains("outbox.sqlite.restored-id"))
            #expect(try content(station, "homing.keyring") == keyring)
            #expect(try content(station, "device-id") == id)
            #expect(try names(station).allSatisfy { !$0.hasSuffix(".restored") })
            try FileManager.default.removeItem(atPath: obstacle)
            try await station.running { _ = try await station.status() }
        }
    }

    /// Killed before the backup became the store, which is missing.
    @Test func emptyStoreKeepsItsIDAfterAnInterruptedRestore() async throws {
        try await DaemonStation.with { station in
            try await station.running { _ = try await station.status() }
            let id = try content(station, "device-id")
            try loseStore(station)
            try Data("part of a backup".utf8).write(to: URL(fileURLWithPath: path(station, "outbox.sqlite.restored")))
            try DeviceID.note(UUID().uuidString, stateDirectory: station.configuration.stateDirectory)
            for _ in 1...2 {
                try await station.running { _ = try await station.status() }
                #expect(try content(station, "device-id") == id)
                #expect(try names(station).allSatisfy { !$0.contains(".restored") })
            }
        }
    }

    /// Killed after the backup became the store.
    @Test(arguments: [true, false]) func restoredStoreGetsItsIDAfterAnInterruptedRestore(byRestore: Bool) async throws {
        try await DaemonStation.with { station in
            _ = try await backUpAndDeliver(station)
            let id = try content(station, "device-id")
            try await startAgain(station, with: content(station, "homing.key"))
            let other = try content(station, "device-id")
            _ = try restore(station)
            #expect(try content(station, "device-id") == id && id != other)
            try other.write(to: URL(fileURLWithPath: path(station, "device-id")))
            try DeviceID.note(String(decoding: id, as: UTF8.self), stateDirectory: station.configuration.stateDirectory)
            if byRestore {
                #expect(refusal(station).hasPrefix("The station has a store with 1 entry"))
            } else {
                try await station.running { _ = try await station.status() }
            }
            #expect(try content(station, "device-id") == id)
            #expect(try names(station).allSatisfy { !$0.contains(".restored") })
        }
    }

    @Test func backupOfAnEarlierKeyOpensWithThePresentOneAfterwards() async throws {
        try await DaemonStation.with { station in
            func content() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(station, "homing.key"))) }
            var key = Data()
            let id = try await backUpAndDeliver(station) {
                key = try content()
                _ = try await station.client.call(Endpoints.rotateKey, KeyRotation())
            }
            let present = try content()
            #expect(present != key)
            try loseStore(station)
            #expect(refusal(station).hasPrefix("The key is not the one of the station that made the backup"))
            let text = try restore(station, key: key)
            #expect(!text.contains("needs this key too"), "\(text)")
            #expect(try content() == present)
            try await station.running {
                _ = try await station.client.call(Endpoints.resume, ResumeRequest())
                try await station.delivered(id)
                #expect(try await isFound(id, station))
            }
        }
    }

    /// As of a stopped service whose key is a credential.
    private func restoreUnderACredential(_ station: DaemonStation, key: Data? = nil, stationKey: Data? = nil) throws -> String {
        try station.directory.write("sealed by the TPM", to: "credential")
        let source = try #require(FileHandle(forReadingAtPath: station.directory("backup")))
        let credential = ServiceCredential(sources: [station.directory("credential")]) { _ in true }
        return try StoreRestore(configuration: station.directory("homing.yaml"), environment: [:], credential: credential).run(
            source, key: key, stationKey: stationKey, by: "uid 0, pid 7")
    }

    private func passCredential(_ key: Data, _ station: DaemonStation) throws -> [String: String] {
        let folder = station.directory("credentials")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try station.directory.write(String(decoding: key, as: UTF8.self), to: "credentials/homing.key")
        return ["CREDENTIALS_DIRECTORY": folder]
    }

    @Test func retiredKeyIsNotTakenForTheCredential() async throws {
        try await DaemonStation.with { station in
            _ = try await backUpAndDeliver(station)
            let retired = try content(station, "homing.key")
            let present = VaultKey().content
            try loseStore(station)
            let error = #expect(throws: StartError.self) { _ = try restoreUnderACredential(station) }
            #expect(error?.description.contains("as a credential from \(station.directory("credential")), ") == true)
            let text = try restoreUnderACredential(station, key: retired, stationKey: present)
            #expect(text.contains("The daemon needs the key that you named with --station-key too"), "\(text)")
            let keys = try StationKeys.find(
                environment: passCredential(present, station), stateDirectory: station.configuration.stateDirectory)
            #expect(keys?.isPending == false)
            #expect(throws: VaultError.self) {
                _ = try StationKeys.find(environment: [:], stateDirectory: station.configuration.stateDirectory)
            }
        }
    }

    @Test func credentialThatMadeTheBackupNeedsNoOtherKey() async throws {
        try await DaemonStation.with { station in
            _ = try await backUpAndDeliver(station)
            let present = try content(station, "homing.key")
            try loseStore(station)
            try put(VaultKey().content, station)
            let text = try restoreUnderACredential(station, key: present)
            #expect(text.contains("The daemon needs this key too"), "\(text)")
            let environment = try passCredential(present, station)
            let keys = try Daemon.findKeys(for: station.configuration.stateDirectory, environment: environment)
            #expect(keys?.isPending == false)
        }
    }

    @Test func anotherStationKeyThanTheVisibleOneIsRefused() async throws {
        try await DaemonStation.with { station in
            _ = try await backUpAndDeliver(station)
            try loseStore(station)
            let source = try #require(FileHandle(forReadingAtPath: station.directory("backup")))
            let restore = try StoreRestore(configuration: station.directory("homing.yaml"), environment: [:])
            let error = #expect(throws: StartError.self) { _ = try restore.run(source, stationKey: VaultKey().content, by: "uid 0, pid 7") }
            #expect(error?.description.hasPrefix("The station’s key is ") == true)
        }
    }

    @Test func runningDaemonIsNotDisturbed() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                _ = try await station.status()
                try await backUp(station)
                let text = refusal(station)
                #expect(text.hasPrefix("The daemon is running on "), "\(text)")
                #expect(text.hasSuffix("\nThen repeat the command."), "\(text)")
            }
        }
    }

    @Test func storeWithEntriesIsNotReplaced() async throws {
        try await DaemonStation.with { station in
            _ = try await backUpAndDeliver(station)
            let before = try Data(contentsOf: URL(fileURLWithPath: path(station, "outbox.sqlite")))
            let text = refusal(station)
            #expect(text.hasPrefix("The station has a store with 1 entry and 1 receipt, so nothing was restored."), "\(text)")
            #expect(text.contains("\nsudo sh -c 'mkdir -m 700 \(station.configuration.stateDirectory).old && mv "), "\(text)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path(station, "outbox.sqlite"))) == before)
        }
    }

    @Test func damagedStoreIsNotReplaced() async throws {
        try await DaemonStation.with { station in
            _ = try await backUpAndDeliver(station)
            try FileManager.default.removeItem(atPath: path(station, "outbox.sqlite"))
            #expect(refusal(station).hasPrefix("The station has a damaged store, so nothing was restored."))
        }
    }

    private func leaveOnlyTheMarker(_ station: DaemonStation) throws {
        for name in try names(station) where name.hasPrefix("outbox.sqlite") && name != "outbox.sqlite.use" {
            try FileManager.default.removeItem(atPath: path(station, name))
        }
        #expect(try names(station).contains("outbox.sqlite.use"))
    }

    @Test func markerAloneIsNoStoreToKeep() async throws {
        try await DaemonStation.with { station in
            _ = try await backUpAndDeliver(station)
            try leaveOnlyTheMarker(station)
            #expect(try restore(station).hasPrefix("Restored the backup of "))
        }
    }

    @Test func startSaysThatTheStoreIsMissing() async throws {
        try await DaemonStation.with { station in
            _ = try await backUpAndDeliver(station)
            try leaveOnlyTheMarker(station)
            let check = StoreCheckReport.run(file: station.directory("homing.yaml"), environment: [:])
            #expect(!check.isGood && check.text.contains("outbox.sqlite is missing: only its marker"), "\(check.text)")
            try await station.running {
                let first = try await station.status().attention.first
                #expect(first?.code == "store-damaged", "\(String(describing: first))")
                #expect(first?.text.hasPrefix("The store was missing on ") == true, "\(String(describing: first))")
            }
        }
    }

    /// The next start would put the salvaged store in the place of the restored one.
    @Test func interruptedSalvageComesFirst() async throws {
        try await DaemonStation.with { station in
            _ = try await backUpAndDeliver(station)
            try loseStore(station)
            let folder = path(station, "damaged/2025-12-06T05-46-40Z")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data().write(to: URL(fileURLWithPath: folder + "/salvaged.sqlite"))
            #expect(refusal(station).hasPrefix("A salvage of this station’s store was interrupted"))
        }
    }

    @Test func missingOrWrongKeyIsNamed() async throws {
        try await DaemonStation.with { station in
            _ = try await backUpAndDeliver(station)
            try loseStore(station)
            #expect(refusal(station, key: Data(repeating: 7, count: 32)).hasPrefix("The key is not the one of the station"))
            #expect(refusal(station, key: Data("short".utf8)).hasPrefix("The key has 5 bytes; expected 32 random bytes"))
            let encrypted = refusal(station, key: Data("age-encryption.org/v1\n-> X25519 …".utf8))
            #expect(encrypted.hasSuffix("age -d -i IDENTITY KEYFILE | sudo homingd restore FILE --key -"), "\(encrypted)")
            let key = try Data(contentsOf: URL(fileURLWithPath: path(station, "homing.key")))
            try FileManager.default.removeItem(atPath: path(station, "homing.key"))
            let text = refusal(station)
            #expect(text.hasPrefix("The key \(path(station, "homing.key")) is missing"), "\(text)")
            #expect(try !names(station).contains { $0.hasPrefix("outbox.sqlite") })
            // The key may be elsewhere, such as a credential of the service.
            #expect(try restore(station, key: key).hasPrefix("Restored the backup of "))
        }
    }

    @Test func missingStateDirectoryIsNamed() async throws {
        try await DaemonStation.with { station in
            try station.directory.write("no backup", to: "backup")
            let text = refusal(station)
            #expect(text.hasPrefix("The state directory \(station.configuration.stateDirectory) does not exist."), "\(text)")
            #expect(text.contains("mkdir -m 700 \(station.configuration.stateDirectory)\n"), "\(text)")
        }
    }

    @Test func otherFileIsRefused() async throws {
        try await DaemonStation.with { station in
            try await station.running { _ = try await station.status() }
            try station.directory.write("no backup", to: "backup")
            #expect(refusal(station).hasPrefix("The file is not a backup of Homing."))
        }
    }

    /// Its entries are not marked, so a start would send them blindly.
    @Test func startRefusesABackupInThePlaceOfTheStore() async throws {
        try await DaemonStation.with { station in
            _ = try await backUpAndDeliver(station)
            try loseStore(station)
            try FileManager.default.copyItem(atPath: station.directory("backup"), toPath: path(station, "outbox.sqlite"))
            await #expect(throws: OutboxError.isBackup) { _ = try await station.daemon() }
        }
    }
}
