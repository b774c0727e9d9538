import Foundation
import TestSupport
import Testing
import Vault

@testable import SyncDaemon

/// Root may read and write every file, so the end-to-end tests check modes as another user.
@Suite struct StartCheckTests {
    @Test func lostStateDirectoryIsOneFault() throws {
        let directory = try TemporaryDirectory()
        try directory.write("state_directory: state\n", to: "homing.yaml")
        let report = try #require(ServiceCheckReport.run(file: directory("homing.yaml"), environment: [:]))
        #expect(!report.isGood && report.text.hasPrefix("The state directory \(directory("state")) does not exist."), "\(report.text)")
        #expect(report.text.split(separator: "\n").count == 2)
    }

    private let directory: TemporaryDirectory
    private var state: String { directory("state") }
    private var key: String { state + "/homing.key" }

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("state_directory: state\nsocket: homing.sock\nspool: {enabled: false}\n", to: "homing.yaml")
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        _ = try StationKeys.load(environment: [:], stateDirectory: state)
        try directory.write("", to: "state/outbox.sqlite")
    }

    private func text() -> String? { StartCheckReport.text(file: directory("homing.yaml"), environment: [:]) }

    @Test func isSilentIfTheDaemonCanStart() throws {
        #expect(text() == nil)
        try FileManager.default.removeItem(atPath: state)
        #expect(text() == nil)
        #expect(try directory.names == ["homing.yaml"])
    }

    @Test func reportsTheKeyInTheWordsOfAStart() throws {
        let damages: [() throws -> Void] = [
            { chmod(key, 0o644) },
            {
                try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: key))
                chmod(key, 0o600)
            },
            { try FileManager.default.removeItem(atPath: key) },
        ]
        for damage in damages {
            try damage()
            let error = #expect(throws: VaultError.self) { try StationKeys.load(environment: [:], stateDirectory: state) }
            #expect(text() == "The daemon cannot start:\n\(try #require(error).description)")
        }
    }

    @Test(arguments: ["lock", "outbox.sqlite", "outbox.sqlite-wal", "outbox.sqlite-shm"])
    func reportsAFileThatCannotBeOpened(name: String) throws {
        let path = "\(state)/\(name)"
        // `try?`: not all of them exist.
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        let words = "\(path) cannot be read and written: Too many levels of symbolic links. Check it, its folder and the disk."
        #expect(text() == "The daemon cannot start:\n\(words)")
    }
}
