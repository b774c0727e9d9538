import Foundation
import Glibc
import StationSupport
import TestSupport
import Testing

/// `homingd check` and `homingd run` report in the same words what prevents a start. Permissions do not restrict root, so tests
/// that run as root start both programs as the user `nobody`.
@Suite struct StartCheckTests {
    private static let nobody: uid_t = 65534
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory("state"), withIntermediateDirectories: true)
        try TestStation.place("breathesafe", in: directory, baseURL: "http://127.0.0.1:1")
        try directory.write("state_directory: state\nsocket: homing.sock\nspool: {enabled: false}\n", to: "homing.yaml")
    }

    private func homingd(_ command: String) async throws -> (code: Int32, text: String) {
        if geteuid() == 0 {
            let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            for path in [directory.path] + names.map({ directory($0) }) { lchown(path, Self.nobody, Self.nobody) }
        }
        let process = Process()
        let arguments = [TestStation.programs + "/homingd", command, "--config", directory("homing.yaml")]
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            (geteuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"] : []) + arguments
        return try await process.ended()
    }

    @Test(arguments: [("outbox.sqlite", mode_t(0o444)), ("outbox.sqlite-wal", 0o444), ("outbox.sqlite-shm", 0o444), ("outbox.sqlite", 0)])
    func closedStoreIsReportedWithItsModeAndTheRepair(name: String, mode: mode_t) async throws {
        let path = directory("state/\(name)")
        try directory.write("", to: "state/\(name)")
        chmod(path, mode)
        let (check, run) = (try await homingd("check"), try await homingd("run"))
        #expect(check.code == 1 && run.code == 1)
        let sentence = try #require(check.text.split(separator: "\n").first { $0.hasPrefix("\(path) cannot be ") })
        #expect(sentence.contains("Permission denied. It belongs to ") && sentence.contains(" has mode \(String(mode, radix: 8));"))
        #expect(sentence.hasSuffix("and have mode 600. Run: chmod 600 \(path)"), "\(sentence)")
        #expect(run.text.contains("homingd: \(sentence)\n"), "\(run.text)")
    }

    @Test func unreadableConfigurationIsReportedWithTheReason() async throws {
        chmod(directory("homing.yaml"), 0)
        for command in ["check", "run"] {
            let (code, text) = try await homingd(command)
            #expect(code == 1 && text.contains("found no readable file: permission denied"), "\(text)")
        }
    }

    @Test func missingKeyBesideAStoreIsReported() async throws {
        #expect(try await homingd("check").code == 0)
        try directory.write("", to: "state/outbox.sqlite")
        chmod(directory("state/outbox.sqlite"), 0o600)
        let (check, run) = (try await homingd("check"), try await homingd("run"))
        #expect(check.code == 1 && run.code == 1)
        let key = directory("state/homing.key")
        let sentence = try #require(check.text.split(separator: "\n").first { $0.hasPrefix("\(key) is missing.") })
        #expect(run.text.contains("homingd: \(sentence)\n"), "\(run.text)")
    }
}
