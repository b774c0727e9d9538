import ControlAPI
import Foundation
import Logging
import Sandbox
import TestSupport
import Testing

@testable import SyncDaemon

/// The store is deleted under a running daemon.
@Suite struct StoreGoneTests {
    private func loseStore(_ station: DaemonStation) throws {
        let state = station.configuration.stateDirectory
        for name in try FileManager.default.contentsOfDirectory(atPath: state) where name.hasPrefix("outbox.sqlite") {
            try FileManager.default.removeItem(atPath: "\(state)/\(name)")
        }
    }

    @Test func captureOfALostStoreIsDeliveredAfterABackup() async throws {
        try await DaemonStation.with { station in
            var id = ""
            try await station.running {
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "a test"))
                id = try await station.submit().id
                try loseStore(station)
                let refusal = await #expect(throws: Problem.self) { try await station.submit() }
                #expect(refusal?.code == .storeGone && refusal?.status == 507)
                #expect(refusal?.next?.contains("\nsudo homingd key export KEYFILE --unencrypted\nsudo homing backup FILE\n") == true)
                #expect(try await station.status().attention.first?.code == "store-gone")
                let why = try await station.client.call(Endpoints.why, EntryReference(id: id))
                #expect(why.sentence.contains("was deleted or replaced"), "\(why.sentence)")
                var file = Data()
                try await station.client.download(Endpoints.backup, NoInput()) { file.append($0) }
                try file.write(to: URL(fileURLWithPath: station.directory("backup")))
            }
            let source = try #require(FileHandle(forReadingAtPath: station.directory("backup")))
            _ = try StoreRestore(configuration: station.directory("homing.yaml"), environment: [:]).run(source, by: "uid 0, pid 7")
            try await station.running {
                _ = try await station.client.call(Endpoints.resume, ResumeRequest())
                try await station.delivered(id)
            }
            #expect(station.sandbox.ledger.entries.count == 1)
        }
    }

    /// `rm -rf` of the state directory: only the memory of the daemon has the key, and only its open file has the captures.
    @Test func deletedStateDirectoryIsRestoredWithTheKeyOfTheDaemon() async throws {
        try await DaemonStation.with { station in
            let state = station.configuration.stateDirectory
            func administration() throws -> KeyAdministration {
                try KeyAdministration(configuration: station.directory("homing.yaml"), environment: [:])
            }
            var (id, key, file) = ("", Data(), Data())
            try await station.running {
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "a test"))
                id = try await station.submit().id
                try FileManager.default.removeItem(atPath: state)
                key = try await administration().exported(to: [])
                try await station.client.download(Endpoints.backup, NoInput()) { file.append($0) }
            }
            try file.write(to: URL(fileURLWithPath: station.directory("backup")))
            try FileManager.default.createDirectory(
                atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            _ = try administration().take(key)
            let source = try #require(FileHandle(forReadingAtPath: station.directory("backup")))
            _ = try StoreRestore(configuration: station.directory("homing.yaml"), environment: [:]).run(source, by: "uid 0, pid 7")
            try await station.running {
                _ = try await station.client.call(Endpoints.resume, ResumeRequest())
                try await station.delivered(id)
            }
            #expect(station.sandbox.ledger.entries.count == 1)
        }
    }

    enum Fate: CaseIterable { case kept, deletedWithoutCaptures, deleted, replaced, moved, folderMoved, withoutLog }

    private func happen(_ fate: Fate, to path: String, _ station: DaemonStation) throws {
        let (files, state) = (FileManager.default, station.configuration.stateDirectory)
        switch fate {
        case .kept: break
        case .deletedWithoutCaptures, .deleted: try files.removeItem(atPath: state)
        case .replaced:
            try files.copyItem(atPath: path, toPath: station.directory("copy"))
            try files.removeItem(atPath: path)
            try files.moveItem(atPath: station.directory("copy"), toPath: path)
        case .moved: try files.moveItem(atPath: path, toPath: station.directory("aside"))
        case .folderMoved: try files.moveItem(atPath: state, toPath: station.directory("aside"))
        case .withoutLog: try files.removeItem(atPath: path + "-wal")
        }
    }

    /// A restart by reflex. Only the log can still say what it cost.
    @Test(arguments: Fate.allCases) func lastLineOfAStopCountsTheCapturesOfALostStore(fate: Fate) async throws {
        try await DaemonStation.with { station in
            let lines = LoggedLines()
            let path = Daemon.store(in: station.configuration.stateDirectory)
            let daemon = try await Daemon(configuration: station.configuration, environment: [:], log: lines.logger)
            try await DaemonStation.running(daemon) {
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "a test"))
                if fate != .deletedWithoutCaptures { try await station.submit() }
                try happen(fate, to: path, station)
            }
            let last = try #require(lines.all.last)
            var facts = ["path": path, "waiting": "1", "failedOrOnHold": "0"]
            switch fate {
            case .kept, .deletedWithoutCaptures:
                #expect(last.level == .info && last.message == "Homing has stopped")
                return
            case .deleted:
                #expect(last.message.hasPrefix("Homing has stopped, and its store was deleted."))
                #expect(last.message.contains("run: sudo homingd restore FILE."))
                #expect(last.message.hasSuffix("run: sudo homing backup FILE"))
            case .replaced:
                #expect(last.message.contains("another file is in its place"))
                #expect(last.message.contains("Otherwise start the daemon: it treats that file as an older copy"))
                #expect(last.message.contains("run: sudo homingd restore FILE."))
            case .moved, .folderMoved:
                #expect(last.message.hasPrefix("Homing has stopped, and its store was moved."))
                #expect(last.message.contains("move the file back to the path in this line."))
                #expect(last.message.contains("move the whole folder back: the key, the keyring and the store belong together"))
                let aside = station.directory("aside")
                facts["movedTo"] = fate == .moved ? aside : Daemon.store(in: aside)
            case .withoutLog:
                #expect(last.message.hasPrefix("Homing has stopped, and the log of its store was deleted or replaced."))
                facts["path"] = path + "-wal"
            }
            #expect(last.level == .critical && last.facts == facts)
            #expect(
                [.deleted, .replaced].contains(fate) || last.message.contains("do not restore a backup") && !last.message.contains("lost"))
        }
    }

    /// Nothing is sent whose result could not be stored. No pause holds the entry back, only the server, which comes up later.
    @Test func sendsNothingFromALostStore() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                await station.sandbox.down()
                let id = try await station.submit().id
                try await station.event { $0.kind == "released" && $0.entry == id }
                try loseStore(station)
                let requests = station.sandbox.ledger.requests.count
                try await station.sandbox.up()
                let refusal = await #expect(throws: Problem.self) { _ = try await station.client.call(Endpoints.sync, SyncRequest()) }
                #expect(refusal?.code == .storeGone)
                // The daemon has found out that the server is up again.
                await station.sandbox.ledger.waits { $0.requests.count > requests }
                #expect(try await station.status().attention.first?.code == "store-gone")
            }
            #expect(station.sandbox.ledger.entries.isEmpty)
        }
    }
}
