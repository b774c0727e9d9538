import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// A backup of a running station, and its entries after a restore.
@Suite struct BackupTests {
    private func restore(_ station: TestStation) async throws -> (code: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homingd")
        process.arguments = ["restore", station.directory("backup"), "--config", station.directory("homing.yaml")]
        return try await process.ended()
    }

    private func backUp(_ station: TestStation, _ options: String...) async throws -> (code: Int32, text: String) {
        try await station.homing(["backup", station.directory("backup")] + options)
    }

    /// Only the store is lost. The key was kept elsewhere.
    private func loseStore(_ station: TestStation) throws {
        let state = station.directory("state")
        for name in try FileManager.default.contentsOfDirectory(atPath: state) where name.hasPrefix("outbox.sqlite") {
            try FileManager.default.removeItem(atPath: "\(state)/\(name)")
        }
    }

    private func id(_ number: Int) -> String { Samples.id(number).description }

    @Test func nothingIsSentTwiceAfterARestore() async throws {
        let station = try await TestStation.signedInWithPeople()
        try await station.measure("7", 1)
        try await station.settled(1, as: "delivered")
        try await station.pauseSending()
        try await station.measure("7", 2)
        try await station.testFit("7", 3)
        try await station.nameUser("9", 4)
        try await station.create(5)
        let backup = try await backUp(station)
        #expect(backup.code == 0 && backup.text.contains("The key is not in the file"), "\(backup.text)")
        try await station.resumeSending()
        try await station.allSettled(2...5)
        try await station.end(SIGTERM)

        try loseStore(station)
        let restored = try await restore(station)
        #expect(restored.code == 0, "\(restored.text)")
        #expect(restored.text.contains("\n  1 entry: looked up at the server, and sent only if missing there\n"), "\(restored.text)")
        #expect(restored.text.contains("\n  1 entry: sent again, which the server treats as one\n"), "\(restored.text)")
        #expect(restored.text.contains("\n  2 entries: on hold, because the server may have it"), "\(restored.text)")
        try await station.start()
        try await station.resumeSending()
        try await station.allSettled([2, 4])
        #expect(try await station.receipt(1).outcome == "delivered")
        #expect(try await station.receipt(2).foundByLookup)
        for number in [3, 5] {
            #expect(try await station.entry(number).holdReason == "unknownOutcome")
            let why = try await station.why(number)
            #expect(why.sentence.lowercased().contains("the store was restored from an older copy"), "\(why.sentence)")
        }
        let retried = try await station.homing("retry", id(3))
        #expect(retried.code == 1 && retried.text.contains("sent again, it may exist twice"), "\(retried.text)")
        let resolved = try await station.homing("resolve", id(3), "--delivered")
        #expect(resolved.code == 0, "\(resolved.text)")
        #expect(try await station.receipt(3).outcome == "delivered")

        let arrivals = station.sandbox.ledger.arrivals
        #expect(arrivals.count { $0.kind == .measurement } == 2 && arrivals.count { $0.kind == .fitTest } == 1)
        #expect(station.sandbox.ledger.created.count == 1)
        // A PUT has the same effect twice.
        #expect(arrivals.filter { $0.kind == .profile }.map(\.number) == [4, 4])
        try await station.end(SIGTERM)
    }

    @Test func entryThatTheServerDoesNotHaveIsSent() async throws {
        let station = try await TestStation.signedInWithPeople()
        try await station.pauseSending()
        try await station.measure("7", 1)
        #expect(try await backUp(station).code == 0)
        try await station.end(SIGKILL)
        try loseStore(station)
        #expect(try await restore(station).code == 0)
        try await station.start()
        try await station.resumeSending()
        try await station.settled(1, as: "delivered")
        #expect(try await station.receipt(1).foundByLookup == false)
        #expect(station.sandbox.ledger.arrivals.count { $0.kind == .measurement } == 1)
        try await station.end(SIGTERM)
    }

    @Test func acceptsAndDeliversDuringBackups() async throws {
        let station = try await TestStation.signedInWithPeople()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for number in 1...30 { try await station.measure("7", number) } }
            for _ in 1...3 { #expect(try await backUp(station, "--force").code == 0) }
            try await group.waitForAll()
        }
        try await station.allSettled(1...30)
        #expect(station.sandbox.ledger.arrivals.count == 30)
        let names = try FileManager.default.contentsOfDirectory(atPath: station.directory("state"))
        #expect(!names.contains { $0.contains("backup") })
        try await station.end(SIGTERM)
    }

    /// To open a pipe would wait for a writer.
    @Test func damagedBackupAndPipeAreRefused() async throws {
        let station = try await TestStation.signedInWithPeople()
        #expect(try await backUp(station).code == 0)
        try await station.end(SIGTERM)
        try loseStore(station)
        let path = station.directory("backup")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[bytes.count / 2] ^= 0xff
        try bytes.write(to: URL(fileURLWithPath: path))
        let damaged = try await restore(station)
        #expect(damaged.code == 1 && damaged.text.contains("The backup \(path) is damaged (its checksum is wrong"), "\(damaged.text)")
        try FileManager.default.removeItem(atPath: path)
        try #require(mkfifo(path, 0o600) == 0)
        let pipe = try await restore(station)
        #expect(pipe.code == 1 && pipe.text.contains("is not a regular file"), "\(pipe.text)")
    }

    @Test func existingFileAndRunningDaemonAreNotDisturbed() async throws {
        let station = try await TestStation.signedInWithPeople()
        #expect(try await backUp(station).code == 0)
        let again = try await backUp(station)
        #expect(again.code == 2 && again.text.contains("add --force to replace this one"), "\(again.text)")
        let restored = try await restore(station)
        #expect(restored.code == 1 && restored.text.contains("homingd: The daemon is running on "), "\(restored.text)")
        #expect(try await station.status().backends.count == 1)
        try await station.end(SIGTERM)
    }
}
