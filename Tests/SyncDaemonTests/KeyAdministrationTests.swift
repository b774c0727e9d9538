import ControlAPI
import Foundation
import TestSupport
import Testing
import Vault

@testable import SyncDaemon

@Suite struct KeyAdministrationTests {
    private static let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"

    private func administration(_ station: DaemonStation, _ environment: [String: String] = [:]) throws -> KeyAdministration {
        try KeyAdministration(configuration: station.directory("homing.yaml"), environment: environment)
    }

    /// As for the stopped service of a station whose key is a credential.
    private func ofStoppedService(_ station: DaemonStation, _ folder: String = "credstore.encrypted") throws -> KeyAdministration {
        try FileManager.default.createDirectory(atPath: station.directory(folder), withIntermediateDirectories: true)
        try station.directory.write("sealed by the TPM", to: "\(folder)/homing.key")
        let credential = ServiceCredential(sources: [station.directory("\(folder)/homing.key")]) { _ in true }
        return try KeyAdministration(configuration: station.directory("homing.yaml"), environment: [:], credential: credential)
    }

    private func path(_ station: DaemonStation, _ name: String) -> String { station.configuration.stateDirectory + "/" + name }

    private func content(_ station: DaemonStation, _ name: String = "homing.key") throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: path(station, name)))
    }

    private func refusal(_ work: () throws -> Void) -> String {
        let error = #expect(throws: (any Error).self) { try work() }
        return error.map { StartError.sentence(for: $0) } ?? ""
    }

    @Test func stoppedStationGetsNewKeysAndSealsAgainAtItsStart() async throws {
        try await DaemonStation.with { station in
            var id = ""
            try await station.running {
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "a test"))
                id = try await station.submit().id
            }
            let before = try content(station)
            let text = try await administration(station).rotate(to: nil, by: "uid 0, pid 7")
            #expect(text.hasPrefix("The station has a new master key, "), "\(text)")
            #expect(try content(station) != before)
            #expect(try await administration(station).show().contains("Homing seals the data again when the daemon runs."))
            try await station.running {
                try await station.event { $0.kind == "resealed" }
                #expect(try await administration(station).show().hasSuffix("All data is sealed with this data key."))
                _ = try await station.client.call(Endpoints.resume, ResumeRequest())
                try await station.delivered(id)
            }
        }
    }

    @Test func runningDaemonMakesTheChange() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                _ = try await station.status()
                let key = VaultKey()
                _ = try await administration(station).rotate(to: key.content, by: "test")
                #expect(try content(station) == key.content)
                try await station.event { $0.kind == "resealed" }
                let records = try await station.client.call(Endpoints.audit, AuditQuery(kind: "key")).records
                #expect(records.map(\.event) == ["keyChanged", "resealed"] && records.first?.uid == Int(getuid()))
                let report = try await station.client.call(Endpoints.key, NoInput())
                #expect(report.fingerprint == key.fingerprint && !report.isResealing && !report.isCredential)
            }
        }
    }

    /// A key in the state directory is not the one that the service uses.
    @Test func stoppedServiceWithACredentialMustBeStarted() async throws {
        try await DaemonStation.with { station in
            try await station.running { _ = try await station.status() }
            let (key, keyring) = try (content(station), content(station, "homing.keyring"))
            let administration = try ofStoppedService(station)
            let errors = [
                await #expect(throws: StartError.self) { _ = try await administration.rotate(to: nil, by: "test") },
                await #expect(throws: StartError.self) { _ = try await administration.show() },
                await #expect(throws: StartError.self) { _ = try await administration.exported(to: []) },
            ]
            for error in errors {
                #expect(error?.description.hasSuffix("then repeat the command:\nsudo systemctl start homingd") == true)
            }
            #expect(try content(station) == key && content(station, "homing.keyring") == keyring)
        }
    }

    @Test(arguments: [
        ("credstore.encrypted", "sudo systemd-creds encrypt --name=homing.key KEYFILE "), ("credstore", "sudo install -m 0600 KEYFILE "),
    ]) func keyOfAStoppedServiceWithACredentialIsNotImported(folder: String, command: String) async throws {
        try await DaemonStation.with { station in
            try FileManager.default.createDirectory(atPath: station.configuration.stateDirectory, withIntermediateDirectories: true)
            let administration = try ofStoppedService(station, folder)
            let words = refusal { _ = try administration.take(VaultKey().content) }
            #expect(words.hasPrefix("The service gets its key as a credential from "), "\(words)")
            #expect(words.hasSuffix("\n\(command)\(station.directory("\(folder)/homing.key"))"), "\(words)")
            #expect(!FileManager.default.fileExists(atPath: path(station, "homing.key")))
        }
    }

    @Test func stationWithoutKeyIsNamed() async throws {
        try await DaemonStation.with { station in
            await #expect(throws: StartError.self) { _ = try await administration(station).show() }
            await #expect(throws: StartError.self) { _ = try await administration(station).rotate(to: nil, by: "test") }
        }
    }

    @Test func situationWithoutADataKeyIsTold() async throws {
        try await DaemonStation.with { station in
            func words() async -> String {
                let error = await #expect(throws: (any Error).self) { _ = try await administration(station).show() }
                return error.map { StartError.sentence(for: $0) } ?? ""
            }
            let (state, file) = (station.configuration.stateDirectory, station.directory("homing.yaml"))
            let lost = await words()
            #expect(lost.hasPrefix("The state directory \(state) (of \(file)) does not exist, so there is no key."), "\(lost)")
            #expect(lost.contains("\nmkdir -m 700 \(state)\nsudo homingd key import KEYFILE\nsudo homingd restore FILE"), "\(lost)")
            try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
            #expect(await words().hasPrefix("The station has no key yet: its state directory \(state) (of \(file)) has no data."))
            let key = VaultKey()
            _ = try administration(station).take(key.content)
            #expect(await words().hasPrefix("The key \(key.fingerprint) is in its place, \(path(station, "homing.key")), but no data"))
            try await station.running { _ = try await station.status() }
            #expect(try await administration(station).show().hasPrefix("Master key  \(key.fingerprint)"))
            try FileManager.default.removeItem(atPath: path(station, "homing.key"))
            let deleted = await words()
            #expect(deleted.hasPrefix("\(path(station, "homing.key")) is missing."), "\(deleted)")
            #expect(deleted.contains("‘homingd key import’"), "\(deleted)")
        }
    }

    /// The socket is only asked because the key is missing.
    @Test func unusableSocketDoesNotHideTheMissingDirectory() async throws {
        try await DaemonStation.with { station in
            try Data().write(to: URL(fileURLWithPath: station.configuration.socket))
            let error = await #expect(throws: StartError.self) { _ = try await administration(station).show() }
            #expect(error?.description.hasPrefix("The state directory \(station.configuration.stateDirectory) ") == true)
        }
    }

    @Test(arguments: [true, false]) func keyThatOnlyTheRunningDaemonHasIsTold(isReplaced: Bool) async throws {
        try await DaemonStation.with { station in
            try await station.running {
                _ = try await station.status()
                let before = try await administration(station).show()
                #expect(!before.contains("Only the daemon") && !before.contains("no longer"), "\(before)")
                try FileManager.default.removeItem(atPath: path(station, "homing.key"))
                if isReplaced { try VaultKey().content.write(to: URL(fileURLWithPath: path(station, "homing.key"))) }
                let shown = try await administration(station).show()
                let first = try #require(shown.split(separator: "\n").first)
                #expect(first.hasSuffix(", from \(path(station, "homing.key")), which no longer has it"), "\(shown)")
                let fault = isReplaced ? "does not have this key" : "is missing"
                #expect(shown.contains("\n\(path(station, "homing.key")) \(fault). Only the daemon has it"), "\(shown)")
                #expect(shown.contains("\nsudo homingd key export KEYFILE --unencrypted\nsudo install "), "\(shown)")
                #expect(shown.contains("-m 0600 KEYFILE \(path(station, "homing.key"))\n"), "\(shown)")
                #expect(shown.hasSuffix(", or run: sudo rm KEYFILE"), "\(shown)")
            }
        }
    }

    @Test func statusTellsOfADeletedKeyUntilItIsBack() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                func notice() async throws -> Attention? { try await station.status().attention.first { $0.code == "key-deleted" } }
                #expect(try await notice() == nil)
                let key = try content(station)
                try FileManager.default.removeItem(atPath: path(station, "homing.key"))
                let item = try #require(try await notice())
                #expect(item.text.contains(path(station, "homing.key")), "\(item.text)")
                #expect(item.next.contains("\nsudo homingd key export KEYFILE --unencrypted\n"), "\(item.next)")
                try key.write(to: URL(fileURLWithPath: path(station, "homing.key")))
                #expect(try await notice() == nil)
            }
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may read every file")) func keyOfAnotherUserNeedsSudo() async throws {
        try await DaemonStation.with { station in
            try await station.running { _ = try await station.status() }
            chmod(path(station, "homing.key"), 0)
            let error = await #expect(throws: StartError.self) { _ = try await administration(station).show() }
            let words = "may not read the key \(path(station, "homing.key")). Repeat the command with sudo."
            #expect(error?.description.hasSuffix(words) == true)
        }
    }

    // MARK: Export

    @Test func exportIsEncryptedForItsRecipients() async throws {
        try await DaemonStation.with { station in
            try await station.running { _ = try await station.status() }
            let key = try content(station)
            #expect(try await administration(station).exported(to: []) == key)
            let file = try await administration(station).exported(to: [Self.recipient])
            #expect(AgeFile.isEncrypted(file) && !file.holds(key.prefix(20)))
            let error = await #expect(throws: StartError.self) {
                _ = try await administration(station).exported(to: [Self.recipient + "q"])
            }
            #expect(error?.description.contains("The value of --to is no recipient of age") == true)
        }
    }

    /// The daemon has it in its memory.
    @Test func deletedKeyIsExportedWhileTheDaemonRuns() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                _ = try await station.status()
                let key = try content(station)
                let present = await #expect(throws: Problem.self) { _ = try await station.client.call(Endpoints.copyKey, NoInput()) }
                #expect(present?.code == .invalidRequest && present?.detail.hasSuffix("is in its place.") == true)
                try FileManager.default.removeItem(atPath: path(station, "homing.key"))
                #expect(try await administration(station).exported(to: []) == key)
                #expect(try await AgeFile.isEncrypted(administration(station).exported(to: [Self.recipient])))
                let records = try await station.client.call(Endpoints.audit, AuditQuery(kind: "key")).records
                #expect(records.map(\.event) == ["keyExported", "keyExported"] && records.first?.uid == Int(getuid()))
                let report = try await station.client.call(Endpoints.doctor, NoInput())
                #expect(report.findings.first { $0.check == "key" }?.remedy?.contains("sudo homingd key export KEYFILE") == true)
            }
            // The memory is gone.
            let error = await #expect(throws: VaultError.self) { _ = try await administration(station).exported(to: []) }
            #expect(error?.code == .keyMissing)
        }
    }

    /// It still has the key of its data.
    @Test func damagedOrOtherKeyIsExportedFromTheDaemonToo() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                _ = try await station.status()
                let key = try content(station)
                for other in [Data(), key.prefix(20), Data("damaged".utf8), VaultKey().content] {
                    try other.write(to: URL(fileURLWithPath: path(station, "homing.key")))
                    #expect(try await administration(station).exported(to: []) == key)
                    #expect(try content(station) == other)
                }
                // Also readable by others: the daemon does not give what the file has.
                try key.write(to: URL(fileURLWithPath: path(station, "homing.key")))
                chmod(path(station, "homing.key"), 0o644)
                let refusal = await #expect(throws: StartError.self) { _ = try await administration(station).exported(to: []) }
                let command = "sudo install -m 0600 \(path(station, "homing.key")) KEYFILE"
                #expect(refusal?.description.hasSuffix("is in its place.\nTo copy it, run: \(command)") == true)
            }
        }
    }

    /// The state directory is gone, and with it the lock. A connection would start a stopped service, which would make a new station.
    @Test(arguments: [(3, 3, true), (0, 0, true), (3, 0, false)] as [(Int32, Int32, Bool)])
    func stoppedServiceIsNotStartedForItsKey(service: Int32, socket: Int32, isAsked: Bool) async throws {
        try await DaemonStation.with { station in
            try await station.running {
                _ = try await station.status()
                let key = try content(station)
                try FileManager.default.removeItem(atPath: station.configuration.stateDirectory)
                var changed = try administration(station)
                changed.activation.socket = station.configuration.socket
                changed.activation.run = { _, arguments in arguments.last == "homingd.socket" ? socket : service }
                let administration = changed
                guard isAsked else {
                    let error = await #expect(throws: StartError.self) { _ = try await administration.exported(to: []) }
                    #expect(error?.description.contains(" does not exist, so there is no key. ") == true)
                    return
                }
                let shown = try await administration.show()
                #expect(shown.hasPrefix("Master key ") && shown.contains(" is gone. Only the daemon has the key"), "\(shown)")
                #expect(try await administration.exported(to: []) == key)
            }
        }
    }

    @Test func credentialNeverLeavesTheDaemon() async throws {
        let directory = try TemporaryDirectory()
        try VaultKey().content.write(to: URL(fileURLWithPath: directory("homing.key")))
        let environment = ["CREDENTIALS_DIRECTORY": directory.path]
        let keeper = KeyKeeper(try StationKeys.load(environment: environment, stateDirectory: directory.path))
        try FileManager.default.removeItem(atPath: directory("homing.key"))
        let refusal = #expect(throws: Problem.self) { try keeper.lostKey() }
        #expect(refusal?.detail.hasPrefix("The key is a credential of the service") == true)
        // Not its source, which may be encrypted for the TPM.
        #expect(refusal?.next?.hasSuffix("\nsudo install -m 0600 \(directory("homing.key")) KEYFILE") == true)
    }

    @Test func copyOfTheKeyDoesNotPrintIt() {
        #expect("\(KeyCopy(key: "abc"))" == "[secret]")
        var dumped = ""
        dump(KeyCopy(key: "abc"), to: &dumped)
        #expect(!dumped.contains("abc"))
    }

    // MARK: Import

    @Test func keyIsTakenIntoAnEmptyStateDirectory() async throws {
        try await DaemonStation.with { station in
            let missing = refusal { _ = try administration(station).take(VaultKey().content) }
            let command = "mkdir -m 700 \(station.configuration.stateDirectory)"
            #expect(missing.hasSuffix("does not exist. To make it, run: \(command)"), "\(missing)")
            try FileManager.default.createDirectory(atPath: station.configuration.stateDirectory, withIntermediateDirectories: true)
            let key = VaultKey()
            #expect(try administration(station).take(key.content).contains(key.fingerprint))
            #expect(try FileManager.default.attributesOfItem(atPath: path(station, "homing.key"))[.posixPermissions] as? Int == 0o600)
            try await station.running { _ = try await station.status() }
            #expect(try content(station) == key.content)
            #expect(try administration(station).take(key.content) == "The station has this key already.")
        }
    }

    /// After `rm` of the files of a station that has salvaged its store once, before a restore.
    @Test func keyIsTakenBesideFilesOfAnEarlierSalvageAlone() async throws {
        try await DaemonStation.with { station in
            let folder = path(station, "damaged/2025-12-06T05-46-40Z")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let key = VaultKey()
            #expect(try administration(station).take(key.content).contains(key.fingerprint))
            #expect(try content(station) == key.content)
            // With a store, the keyring is missing.
            try FileManager.default.removeItem(atPath: path(station, "homing.key"))
            try Data("x".utf8).write(to: URL(fileURLWithPath: path(station, "outbox.sqlite")))
            #expect(refusal { _ = try administration(station).take(key.content) }.contains("homing.keyring is missing or damaged"))
        }
    }

    @Test func onlyTheKeyOfTheDataIsTaken() async throws {
        try await DaemonStation.with { station in
            try await station.running { _ = try await station.status() }
            let key = try content(station)
            let other = refusal { _ = try administration(station).take(VaultKey().content) }
            #expect(other.contains("The station uses another key"), "\(other)")
            try FileManager.default.removeItem(atPath: path(station, "homing.key"))
            let wrong = refusal { _ = try administration(station).take(VaultKey().content) }
            #expect(wrong.hasPrefix("This key does not open the data in "), "\(wrong)")
            #expect(!FileManager.default.fileExists(atPath: path(station, "homing.key")))
            // A key that is damaged, or another one that does not open the data, is replaced.
            for damaged in [Data("damaged".utf8), VaultKey().content] {
                try damaged.write(to: URL(fileURLWithPath: path(station, "homing.key")))
                #expect(try administration(station).take(key).hasSuffix("is in its place, \(path(station, "homing.key"))."))
                #expect(try content(station) == key)
            }
            try await station.running { _ = try await station.status() }
        }
    }

    /// An older key and keyring were put back, and a start asks for the newest key.
    @Test func newestKeyIsTakenInThePlaceOfAnOlderOne() async throws {
        try await DaemonStation.with { station in
            var (oldKey, oldKeyring) = (Data(), Data())
            try await station.running {
                _ = try await station.status()
                (oldKey, oldKeyring) = try (content(station), content(station, "homing.keyring"))
                _ = try await station.client.call(Endpoints.rotateKey, KeyRotation())
                try await station.event { $0.kind == "resealed" }
            }
            let newKey = try content(station)
            try oldKey.write(to: URL(fileURLWithPath: path(station, "homing.key")))
            try oldKeyring.write(to: URL(fileURLWithPath: path(station, "homing.keyring")))
            let error = await #expect(throws: VaultError.self) { _ = try await administration(station).show() }
            #expect(error?.description.contains("are older than the store") == true)
            #expect(try administration(station).take(newKey).hasSuffix("is in its place, \(path(station, "homing.key"))."))
            try await station.running { _ = try await station.status() }
            #expect(try content(station) == newKey)
            let words = refusal { _ = try administration(station).take(oldKey) }
            #expect(words.contains("The station uses another key"), "\(words)")
        }
    }

    @Test func otherFilesAreRefusedWithTheNextStep() async throws {
        try await DaemonStation.with { station in
            let encrypted = refusal { _ = try administration(station).take(Data("age-encryption.org/v1\n-> X25519 …".utf8)) }
            #expect(encrypted.hasSuffix("run: age -d -i IDENTITY KEYFILE | sudo homingd key import -"), "\(encrypted)")
            #expect(refusal { _ = try administration(station).take(Data("short".utf8)) }.hasPrefix("The key has 5 bytes; expected 32"))
        }
    }

    @Test func runningDaemonKeepsItsKey() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                _ = try await station.status()
                let words = refusal { _ = try administration(station).take(VaultKey().content) }
                #expect(words.hasPrefix("Another daemon is already running on "), "\(words)")
            }
        }
    }

    @Test func credentialIsNotReplacedByAFile() async throws {
        try await DaemonStation.with { station in
            try FileManager.default.createDirectory(atPath: station.directory("credentials"), withIntermediateDirectories: true)
            try VaultKey().content.write(to: URL(fileURLWithPath: station.directory("credentials/homing.key")))
            let environment = ["CREDENTIALS_DIRECTORY": station.directory("credentials")]
            let words = refusal { _ = try administration(station, environment).take(VaultKey().content) }
            #expect(words.hasPrefix("The service gets its key as a credential "), "\(words)")
        }
    }
}
