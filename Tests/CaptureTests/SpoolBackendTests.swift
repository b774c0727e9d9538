import Foundation
import Outbox
import SyncModel
import TestSupport
import Testing

@testable import Capture

@Suite struct SpoolBackendTests {
    private func leftover(_ drop: Drop, _ number: Int, backend: String) throws -> TakenName {
        let name = TakenName(id: Samples.id(number), backend: backend, account: "1", folder: "5", original: "\(number).json")
        try drop.put(Drop.capture(number), "taken/" + name.text)
        return name
    }

    @Test func takenFileNamesItsBackend() async throws {
        let drop = try Drop(accounts: ["lab": .ann, "old": .bob], backend: "lab")
        try drop.put(Drop.capture(1), "new/users/5/a.json")
        try drop.outbox.close()
        await drop.spool.sweep()
        let names = try drop.names("taken")
        let name = try #require(names.compactMap { TakenName($0) }.first)
        #expect(name == TakenName(id: name.id, backend: "lab", account: "1", folder: "5", original: "a.json"))
    }

    @Test func storesTakenFileForItsOwnBackend() async throws {
        let drop = try Drop(accounts: ["lab": .ann, "old": .ann], backend: "lab")
        let name = try leftover(drop, 1, backend: "old")
        try drop.put(Drop.capture(2), "new/users/5/b.json")
        await drop.spool.sweep()
        let entries = try await drop.entries()
        #expect(entries.map(\.destination.backend) == ["old", "lab"])
        #expect(entries.first?.id == name.id)
        let old = Destination(backend: "old", account: "1")
        #expect(try await drop.outbox.accountLabels()[old] == "ann@lab.test")
        #expect(try drop.names("taken").isEmpty)
    }

    @Test func reportsTakenFileOfRemovedBackendWithoutBlockingOthers() async throws {
        var drop = try Drop(accounts: ["lab": .ann])
        let name = try leftover(drop, 1, backend: "gone")
        _ = try leftover(drop, 2, backend: "lab")
        try drop.put(Drop.capture(3), "new/users/5/c.json")
        for _ in 1...3 { await drop.spool.sweep() }
        #expect(try await drop.entries().map(\.destination.backend) == ["lab", "lab"])
        #expect(try drop.names("taken") == [name.text])
        #expect(try drop.names("refused").isEmpty)
        let stuck = drop.spool.stuckFiles
        #expect(stuck.count == 1)
        #expect(stuck.example?.path == drop.path("taken/" + name.text))
        #expect(stuck.example?.reason == "it belongs to the backend “gone”, which is no longer configured")
        #expect(
            stuck.example?.next
                == "Put gone.yaml back into the profiles folder. Then send SIGHUP, or run: systemctl reload homingd")
        #expect(drop.log.all.count { $0.hasPrefix("Cannot take a dropped file") } == 1)

        try drop.restart(accounts: ["lab": .ann, "gone": nil])
        await drop.spool.sweep()
        let entry = try #require(try await drop.outbox.entry(name.id)?.entry)
        #expect(entry.destination == Destination(backend: "gone", account: "1"))
        #expect(drop.spool.stuckFiles.count == 0)
        #expect(try drop.names("taken").isEmpty)
    }

    @Test func storesManyLeftoversInOrder() async throws {
        let drop = try Drop()
        for number in 1...150 { _ = try leftover(drop, number, backend: number % 10 == 0 ? "gone" : "breathesafe") }
        await drop.spool.sweep()
        #expect(try await drop.documents() == (1...150).filter { $0 % 10 != 0 }.map(Drop.capture))
        #expect(drop.spool.stuckFiles.count == 15)
    }
}
