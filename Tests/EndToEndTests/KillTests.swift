import ControlAPI
import Foundation
import Sandbox
import TestSupport
import Testing

@Suite struct KillTests {
    /// 200 captures through the socket and 100 through the drop folder, while the daemon is killed a hundred times.
    @Test(.timeLimit(.minutes(10)))
    func aHundredKillsLoseNothingDoubleNothingAndKeepTheOrder() async throws {
        let seed = UInt64.random(in: .min ... .max)
        print("kills with seed \(seed)")
        let station = try await TestStation()
        try await station.start()
        try await station.login(remember: true)

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // A careful client: it hands in again, under the same id, whatever it got no answer to.
                for number in 1...200 {
                    while (try? await station.submit(user: 5 + number % 4, id: number)) == nil { await Task.yield() }
                }
            }
            group.addTask {
                let folder = station.directory("state/spool/new/users/9")
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                for number in 1001...1100 {
                    try TestStation.measurement(number).write(to: URL(fileURLWithPath: "\(folder)/.\(number)"))
                    try FileManager.default.moveItem(atPath: "\(folder)/.\(number)", toPath: "\(folder)/\(number).json")
                }
            }
            group.addTask {
                var generator = Seeded(state: seed)
                for _ in 1...100 {
                    // The moments are random; nothing below depends on them.
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...250, using: &generator)))
                    try await station.end(SIGKILL)
                    try await station.start()
                }
            }
            try await group.waitForAll()
        }
        let sync = try await station.homing("sync", "--wait", "--timeout", "120")
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
