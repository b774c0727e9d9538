import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@Suite struct DamageTests {
    private func damage(_ name: String, of station: TestStation, _ change: (inout Data) -> Void) throws {
        let file = URL(fileURLWithPath: station.directory("state/" + name))
        var content = try Data(contentsOf: file)
        change(&content)
        // Written in place, because the daemon may have the file open.
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: content)
        try handle.truncate(atOffset: UInt64(content.count))
        try handle.close()
    }

    private func check(_ station: TestStation) async throws -> (code: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homingd")
        process.arguments = ["check", "--store", "--config", station.directory("homing.yaml")]
        return try await process.ended(errors: false)
    }

    @Test func damagedStoreIsReportedAndReadableEntriesAreDelivered() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.down()
        for number in 1...6 { try await station.submit(user: 5 + number % 3, id: number) }
        #expect(try await check(station).code == 0)
        try await station.end(SIGKILL)
        let names = try FileManager.default.contentsOfDirectory(atPath: station.directory("state")).sorted()
        #expect(try await check(station).code == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: station.directory("state")).sorted() == names)

        // Damages the first WAL frame, which invalidates all later ones, and the header of the main file.
        try damage("outbox.sqlite-wal", of: station) { $0[32 + 24 + 3000] ^= 0x40 }
        try damage("outbox.sqlite", of: station) { $0.replaceSubrange(0..<100, with: Data(count: 100)) }
        let found = try await check(station)
        #expect(found.code == 1 && found.text.contains("The store is damaged: its write-ahead log has changed"), "\(found.text)")

        try await station.start()
        let status = try await station.homing("status")
        #expect(status.code == 6 && status.text.hasPrefix("The store was damaged on "), "\(status.text)")
        let folder = try #require(
            try FileManager.default.contentsOfDirectory(atPath: station.directory("state/damaged")).first)
        #expect(status.text.replacing(/\s+/, with: "").contains("state/damaged/\(folder)"))
        #expect(try await station.homing("check").code == 2)
        #expect(try await station.status().attention.first?.code == "store-damaged")
        #expect(try await station.event("salvaged")?.detail["missing"] == "0")

        try await station.sandbox.up()
        // The damage to the WAL has cost the session: an earlier version of it must not come back.
        #expect(try await station.status().backends.first?.session.state == "signedOut")
        try await station.login()
        let sync = try await station.homing("sync", "--wait", "--timeout", "600")
        #expect(try await station.entries("delivered").count == 6, "\(sync.text)")
        #expect(station.sandbox.ledger.duplicates.isEmpty)
        #expect(try await check(station).code == 1)

        try FileManager.default.moveItem(atPath: station.directory("state/damaged/\(folder)"), toPath: station.directory("kept"))
        let after = try await station.homing("status")
        #expect(after.code == 0 && after.text.hasPrefix("Everything has been delivered: 6 captures"), "\(after.text)")
        let good = try await check(station)
        #expect(good.code == 0 && good.text.contains("The store is good: checked 6 entries and 6 receipts"), "\(good.text)")
        try await station.end(SIGTERM)
    }

    @Test func daemonSalvagesDamagedStoreWithoutRestart() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.down()
        for number in 1...200 { try await station.submit(user: 5 + number % 3, id: number) }
        try await station.end(SIGTERM)
        // Damages some table leaf pages, but not those of the schema: neither the quick check nor a start reads them.
        try damage("outbox.sqlite", of: station) { content in
            for page in 60..<content.count / 4096 where page % 3 == 0 && content[page * 4096] == 13 {
                let place = page * 4096..<(page + 1) * 4096
                if content.range(of: Data("CREATE ".utf8), in: place) == nil { content.replaceSubrange(place, with: Data(count: 4096)) }
            }
        }
        let process = try await station.start(logTo: station.directory("log"))
        let report = try await self.report(of: station)
        let log = try String(contentsOfFile: station.directory("log"), encoding: .utf8)
        #expect(log.contains("The store is damaged and will be reopened"), "\(log)")
        #expect(process.isRunning)
        #expect(report.saved + report.unreadable + report.missing == 200 && report.unreadable > 0, "\(report)")

        try await station.sandbox.up()
        // `try?`: the daemon does not answer while it replaces the store.
        try await until { (try? await station.status().attention.first?.code) == "store-damaged" }
        _ = try await station.homing("sync", "--wait", "--timeout", "600")
        let status = try await station.status()
        let queue = try #require(status.backends.first?.queue)
        #expect(queue.delivered == report.saved && queue.held == report.unreadable, "\(status.sentence)")
        #expect(station.sandbox.ledger.duplicates.isEmpty)
        #expect(try await station.stop().code == 0)
    }

    /// The damage is found while someone may still have the original.
    @Test func unreadablePayloadIsHeldBeforeSending() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        _ = try await station.homing("pause", "--reason", "a test")
        for number in 1...3 { try await station.submit(user: 5 + number, id: number) }
        try await station.end(SIGTERM)
        let id = [UInt8](Samples.id(2).description.utf8)
        try damage("outbox.sqlite", of: station) { content in
            // The sealed payload is the copy followed by random bytes; the others precede text and small numbers.
            let places = content.indices.dropLast(id.count + 32).filter {
                content[$0] == id[0] && content[$0..<$0 + id.count].elementsEqual(id)
            }
            func randomness(_ place: Int) -> Int { content[place..<place + 32].count { $0 >= 0x80 } }
            guard let sealed = places.map({ $0 + id.count }).max(by: { randomness($0) < randomness($1) }) else { return }
            content[sealed + 20] ^= 1
        }
        let found = try await check(station)
        #expect(found.code == 1 && found.text.contains("The stored data of entry 000000000002 cannot be read."), "\(found.text)")
        try await station.start(logTo: station.directory("log"))
        let held = try #require(try await station.event("held"))
        #expect(held.entry == Samples.id(2).description && held.detail["reason"] == "unreadable")
        let status = try await station.homing("status")
        #expect(
            status.code == 6
                && status.text.contains("1 capture has failed or is on hold, and needs your decision. 2 captures are waiting."))
        let why = try await station.homing("why", Samples.id(2).description)
        #expect(why.text.contains("Submit the original again, then run: homing discard"), "\(why.text)")
        let log = try String(contentsOfFile: station.directory("log"), encoding: .utf8)
        #expect(log.contains("A capture is on hold: its stored data cannot be read"))
        let known = try await check(station)
        #expect(known.code == 0 && known.text.contains("1 of them is on hold and cannot be read"), "\(known.text)")
        _ = try await station.homing("resume")
        try await station.event("delivered", count: 2)
        try await station.end(SIGTERM)
    }

    @Test func missingWriteAheadLogIsReported() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.down()
        for number in 1...3 { try await station.submit(id: number) }
        try await station.end(SIGKILL)
        for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: station.directory("state/outbox.sqlite" + suffix)) }
        let found = try await check(station)
        #expect(found.code == 1 && found.text.contains("The store is damaged: its write-ahead log is gone."), "\(found.text)")
        try await station.start()
        let status = try await station.homing("status")
        #expect(status.code == 6 && status.text.contains("some entries may be missing"), "\(status.text)")
        try await station.end(SIGTERM)
    }

    private struct Report: Decodable { let saved, unreadable, missing: Int }

    private func report(of station: TestStation) async throws -> Report {
        let folder = station.directory("state/damaged")
        return try await firstValue {
            // `try?`: the folder may not exist yet.
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                let path = "\(folder)/\(name)"
                let isDone = try !FileManager.default.contentsOfDirectory(atPath: path).contains {
                    $0 == "salvaged.sqlite" || $0 == "unfinished.sqlite"
                }
                guard isDone, let content = FileManager.default.contents(atPath: path + "/report.json") else { continue }
                return try JSONDecoder().decode(Report.self, from: content)
            }
            return nil
        }
    }

    @Test func wrongKeyIsRefusedAndNotTreatedAsDamage() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.down()
        for number in 1...3 { try await station.submit(id: number) }
        try await station.end(SIGTERM)
        let key = try Data(contentsOf: URL(fileURLWithPath: station.directory("state/homing.key")))
        let other = Data(Data(repeating: 9, count: 32).base64EncodedString().utf8)
        for (wrong, words) in [(Data("short".utf8), "expected 32 random bytes"), (other, "Put the old key back")] {
            try damage("homing.key", of: station) { $0 = wrong }
            let error = await #expect(throws: StationError.self) { try await station.start() }
            #expect(error?.description.contains(words) == true)
            #expect(try await check(station).code == 1)
        }
        try damage("homing.key", of: station) { $0 = key }
        // Damage to the file of the keyring is not taken for another key: the store has a copy.
        try damage("homing.keyring", of: station) { $0[3] ^= 1 }
        try damage("crashed", of: station) { $0 = Data("noise".utf8) }
        try damage("device-id", of: station) { $0 = Data([0xff, 0, 0xfe]) }
        try damage("lock", of: station) { $0 = Data("noise".utf8) }
        try await station.start()
        #expect(try await station.entries().count == 3)
        #expect(try await station.entries("held").isEmpty)
        try await station.end(SIGTERM)
        // These files open, but reading them fails with EIO.
        for name in ["homing.keyring", "device-id"] {
            let path = station.directory("state/\(name)")
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/proc/self/mem")
        }
        try await station.start()
        #expect(try await station.entries().count == 3)
        try await station.end(SIGTERM)
    }
}
