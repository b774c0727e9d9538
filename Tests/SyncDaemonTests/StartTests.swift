import Capture
import Foundation
import Outbox
import TestSupport
import Testing
import Vault

@testable import SyncDaemon

@Suite struct StartTests {
    private func configuration(_ directory: TemporaryDirectory) throws -> Configuration {
        var configuration = Configuration(places: Places(environment: ["HOME": directory.path], isRoot: false))
        configuration.socket = directory("homing.sock")
        configuration.backends = URL(fileURLWithPath: ConfigurationTests.shipped).deletingLastPathComponent().path + "/backends"
        configuration.spool.backend = "breathesafe"
        return configuration
    }

    private func start(_ directory: TemporaryDirectory) async throws -> Daemon {
        try await Daemon(configuration: try configuration(directory), environment: [:], log: .silent)
    }

    private func startAndStop(_ directory: TemporaryDirectory) async throws {
        let daemon = try await start(directory)
        let running = Task { try await daemon.run() }
        running.cancel()
        _ = await running.result
    }

    @Test func stateLockExcludesSecondDaemonUntilReleased() throws {
        let directory = try TemporaryDirectory()
        var lock: StateLock? = try StateLock(directory: directory("state"))
        let error = #expect(throws: StartError.self) { try StateLock(directory: directory("state")) }
        #expect(error?.description.contains("Another daemon is already running") == true)
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(throws: Never.self) { try StateLock(directory: directory("state")) }
    }

    /// A file is in the place of the socket, which is opened last.
    @Test func failedStartClosesTheStore() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "homing.sock")
        await #expect(throws: (any Error).self) { _ = try await start(directory) }
        let mark = try #require(StoreUse(of: Daemon.store(in: configuration(directory).stateDirectory)).mark)
        #expect(mark.inode == nil && mark.epoch > 0)
    }

    @Test func storeCheckReportsUnusableKey() async throws {
        let directory = try TemporaryDirectory()
        let state = try configuration(directory).stateDirectory
        try await startAndStop(directory)
        try directory.write("state_directory: \(state)\n", to: "homing.yaml")
        func report() -> StoreCheckReport { StoreCheckReport.run(file: directory("homing.yaml"), environment: [:]) }
        #expect(report().isGood, "\(report().text)")
        let key = state + "/homing.key"
        let damages: [() throws -> Void] = [
            { chmod(key, 0o644) },
            {
                try Data("short".utf8).write(to: URL(fileURLWithPath: key))
                chmod(key, 0o600)
            },
            { try FileManager.default.removeItem(atPath: key) },
        ]
        for damage in damages {
            try damage()
            let (isGood, text) = (report().isGood, report().text)
            #expect(!isGood && text.contains("The daemon does not start without its key."), "\(text)")
            #expect(!text.contains("next start") && !text.contains("disk tested"), "\(text)")
        }
    }

    @Test func storeCheckReportsMissingStoreBesideItsWAL() async throws {
        let directory = try TemporaryDirectory()
        let state = try configuration(directory).stateDirectory
        try await startAndStop(directory)
        try directory.write("state_directory: \(state)\n", to: "homing.yaml")
        let store = URL(fileURLWithPath: state + "/outbox.sqlite")
        let log = URL(fileURLWithPath: state + "/outbox.sqlite-wal")
        try FileManager.default.removeItem(at: log)
        try FileManager.default.moveItem(at: store, to: log)
        let report = StoreCheckReport.run(file: directory("homing.yaml"), environment: [:])
        #expect(!report.isGood && report.text.contains("The store is damaged") && report.text.contains("next start"), "\(report.text)")
        #expect(!FileManager.default.fileExists(atPath: store.path))
    }

    @Test func wrongOrMissingKeyIsRefusedAndNotOverwritten() async throws {
        let directory = try TemporaryDirectory()
        let state = try configuration(directory).stateDirectory
        try await startAndStop(directory)
        let before = try Data(contentsOf: URL(fileURLWithPath: state + "/homing.key"))
        let other = Data(repeating: 7, count: 32)
        try other.write(to: URL(fileURLWithPath: state + "/homing.key"))
        let error = await #expect(throws: VaultError.self) { try await start(directory) }
        #expect(error?.code == .wrongKey)
        #expect(try Data(contentsOf: URL(fileURLWithPath: state + "/homing.key")) == other)

        try FileManager.default.removeItem(atPath: state + "/homing.key")
        let missing = await #expect(throws: VaultError.self) { try await start(directory) }
        #expect(missing?.code == .keyMissing)
        #expect(!FileManager.default.fileExists(atPath: state + "/homing.key"))

        try before.write(to: URL(fileURLWithPath: state + "/homing.key"))
        chmod(state + "/homing.key", 0o600)
        try await startAndStop(directory)
    }

    @Test func crashMarkStaysUntilSuccessfulStart() async throws {
        let directory = try TemporaryDirectory()
        let state = try configuration(directory).stateDirectory
        try await startAndStop(directory)
        let (mark, key) = (URL(fileURLWithPath: state + "/crashed"), URL(fileURLWithPath: state + "/homing.key"))
        try Data("!".utf8).write(to: mark)
        let right = try Data(contentsOf: key)
        try Data(repeating: 7, count: 32).write(to: key)
        await #expect(throws: VaultError.self) { try await start(directory) }
        #expect(try Data(contentsOf: mark) == Data("!".utf8))

        try right.write(to: key)
        try await startAndStop(directory)
        #expect(try Data(contentsOf: mark).isEmpty)
    }
}
