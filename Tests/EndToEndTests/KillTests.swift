import ControlAPI
import Foundation
import Sandbox
import StationSupport
import Synchronization
import TestSupport
import Testing

@Suite struct KillTests {
    @Test func hundredKillsLoseDuplicateAndReorderNothing() async throws {
        let seed = UInt64.random(in: .min ... .max)
        print("kills with seed \(seed)")
        let station = try await TestStation()
        try await station.start()
        try await station.login(remember: true)

        // Slow enough that most kills interrupt a request.
        await station.sandbox.apply(.slow(milliseconds: 20, path: "facial_measurements_from_arkit"))
        let folder = station.directory("state/spool/new/users/9")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var generator = Seeded(state: seed)
        for round in 0..<100 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    // `try?`: submits again under the same id until it gets a response.
                    for number in [2 * round + 1, 2 * round + 2] {
                        try await until { (try? await station.submit(user: 5 + number % 4, id: number)) != nil }
                    }
                }
                group.addTask {
                    try TestStation.measurement(1000 + round).write(to: URL(fileURLWithPath: "\(folder)/.\(round)"))
                    try FileManager.default.moveItem(atPath: "\(folder)/.\(round)", toPath: "\(folder)/\(1000 + round).json")
                }
                // Nothing below depends on the moment.
                let moment = Int.random(in: 0...120, using: &generator)
                group.addTask {
                    try await Task.sleep(for: .milliseconds(moment))
                    try await station.end(SIGKILL)
                    try await station.start()
                }
                try await group.waitForAll()
            }
        }
        station.sandbox.clearFaults()
        let sync = try await station.homing("sync", "--wait", "--timeout", "600")
        #expect(sync.code == 0, "\(sync.text)")

        let rows = try await station.entries()
        #expect(rows.count == 300)
        #expect(rows.allSatisfy { $0.state == "delivered" }, "\(rows.filter { $0.state != "delivered" })")
        let ledger = station.sandbox.ledger
        #expect(ledger.entries.count == 300)
        #expect(ledger.duplicates.isEmpty)
        for user in 5...9 {
            let expected = rows.filter { $0.lane == "users/\(user)" }.map(\.id)
            let arrived = ledger.entries.filter { $0.user == user }.compactMap(\.clientMutationID)
            #expect(arrived == expected, "lane users/\(user)")
        }
        // The kills did interrupt work: the daemon recovered entries in flight.
        let recovered = Mutex(0)
        try await station.client.events(EventQuery(since: 0)) { event in
            if event.kind == "recovered" { recovered.withLock { $0 += 1 } }
            return true
        }
        #expect(recovered.withLock { $0 } > 20)
        try await station.end(SIGTERM)
    }
}

private struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 31
    }
}
