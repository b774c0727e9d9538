import ControlAPI
import Delivery
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// A backlog that grows 400-fold while the backend is down. The daemon's memory, descriptors, timers and write-ahead log must not grow with it while
/// entries are submitted, after a start, and during delivery.
struct BoundsCampaign: RoundCampaign {
    static let name = "bounds"
    /// The backlog at the first measurement of memory after a start, and its factor until the second one.
    private static let middles = 4_000...5_000
    private static let growth = 10
    static let longest = middles.upperBound * growth

    func round(seed: UInt64, _ outcome: inout Outcome) async throws {
        var dice = SplitMix64(seed: seed)
        let station = try await TestStation()
        var process = try await station.start()
        try await station.login()
        await station.sandbox.down()
        let least = 100
        try await Self.handIn(1...least, station)
        // A fresh start as the baseline.
        process = try await Self.restart(station, SIGTERM)
        let small = try await Self.atLength(process, station)

        let middle = Int.random(in: Self.middles, using: &dice)
        let length = Self.growth * middle
        var started: [Int] = []
        let signal = Bool.random(using: &dice) ? SIGKILL : SIGTERM
        outcome.met("backend down while a backlog grows")
        outcome.counted("entries in backlogs", length)
        for goal in [least + 1...middle, middle + 1...length] {
            try await Self.handIn(goal, station)
            try await Self.judge(process, station, small, "with \(goal.upperBound) submitted", &outcome)
            process = try await Self.restart(station, signal)
            started.append(try await Self.least(process, station))
            try await Self.judge(process, station, small, "after a start with \(goal.upperBound) waiting", &outcome)
        }
        // The allocator's free memory after a start varies by two megabytes, so the second backlog is large.
        let more = started[1] - started[0]
        if more > Self.memoryOfEntry * (length - middle) {
            outcome.failures.append("\(length - middle) more waiting entries take \(more) more bytes of memory after a start")
        }

        try await station.sandbox.up()
        let goal = Int.random(in: 300...2_000, using: &dice)
        let isOnItsWay = try await Self.soon {
            _ = try await station.client.call(Endpoints.sync, SyncRequest())
            return try await station.report().queue.delivered >= goal
        }
        if !isOnItsWay { outcome.failures.append("fewer than \(goal) of \(length) were delivered in time") }
        try await Self.judge(process, station, small, "while \(length) are being delivered", &outcome)
        outcome.acknowledged += length
        let there = try await station.report().queue
        let known = there.pending + there.inflight + there.held + there.dead + there.delivered
        if known != length {
            outcome.lost += length - known
            outcome.failures.append("\(known) of \(length) entries are known")
        }
        try await station.end(SIGTERM)
        await station.sandbox.stop()
    }

    func control(seed: UInt64, _ outcome: inout Outcome) async throws {
        // A reader that never ends prevents the checkpoint from resetting the log.
        let station = try await TestStation()
        let process = try await station.start()
        try await station.login()
        await station.sandbox.down()
        try await Self.handIn(1...10, station)
        let small = try await Self.atLength(process, station)
        let reader = try ReadingForEver(station.directory("state/outbox.sqlite"))
        try await Self.handIn(11...3_000, station)
        let grows = try await Self.soon { try await Self.excess(process, station, small).excess.contains("log") }
        outcome.controlled(without: "an end to every read of the store", failedAsItShould: grows)
        try reader.close()
        let beginning = Array(
            "POST /v1/entries HTTP/1.1\r\nHost: homing\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n".utf8)
        let idle = (0..<100).compactMap { _ in IdleConnection(station.directory("homing.sock")) }
        for connection in idle { connection.send(beginning + [UInt8](repeating: 0x20, count: 150_000)) }
        for name in ["memory", "descriptors"] {
            let grows = try await Self.soon { try await Self.excess(process, station, small).excess.contains(name) }
            outcome.controlled(without: "a limit on incomplete requests: \(name)", failedAsItShould: grows)
        }
        withExtendedLifetime(idle) {}
        try await station.end(SIGTERM)
        await station.sandbox.stop()
    }

    private static func restart(_ station: TestStation, _ signal: Int32) async throws -> Process {
        try await station.end(signal)
        return try await station.start()
    }

    /// Submits with sixteen parallel requests.
    private static func handIn(_ numbers: ClosedRange<Int>, _ station: TestStation) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (count, number) in numbers.enumerated() {
                if count >= 16 { try await group.next() }
                group.addTask { try await station.submit(user: 5 + number % 4, id: number) }
            }
            try await group.waitForAll()
        }
    }

    private struct Figures {
        /// Bytes of anonymous memory, and of the write-ahead log.
        var memory = 0, log = 0
        var descriptors = 0, timers = 0
    }

    /// The allowed growth over a short queue, and the allowed size of the log (`journal_size_limit` and 896 pages before a checkpoint). Most memory
    /// is SQLite's page cache, up to two megabytes for each of three connections (https://sqlite.org/pragma.html#pragma_cache_size).
    private static let (memory, descriptors, log) = (6 << 20, 8, 8 << 20)
    /// Bytes per entry: twice the noise, and less than a row or an id takes. `make bench` finds smaller leaks with a million entries.
    private static let memoryOfEntry = 128

    /// Waits until each part has run once and made its caches.
    private static func atLength(_ process: Process, _ station: TestStation) async throws -> Figures {
        guard try await soon({ try await station.report().gateCause == "offline" }) else { throw StationError("no delivery was tried") }
        try await Task.sleep(for: .seconds(1))
        return try await figures(process, station)
    }

    /// The least memory in some seconds, in bytes, to exclude peaks.
    private static func least(_ process: Process, _ station: TestStation) async throws -> Int {
        var least = try await atLength(process, station).memory
        for _ in 1...40 {
            try await Task.sleep(for: .milliseconds(100))
            least = min(least, try await figures(process, station).memory)
        }
        return least
    }

    private static func figures(_ process: Process, _ station: TestStation) async throws -> Figures {
        let folder = "/proc/\(process.processIdentifier)"
        let status = try String(contentsOfFile: "\(folder)/status", encoding: .utf8)
        let own = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }?.split(separator: " ").dropFirst().first
        guard let own, let kibibytes = Int(own) else { throw StationError("\(folder)/status does not give its memory") }
        let open = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd").compactMap {
            // `try?`: closed meanwhile.
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/fd/\($0)")
        }
        let log = try FileManager.default.attributesOfItem(atPath: station.directory("state/outbox.sqlite-wal"))[.size] as? Int
        return Figures(
            memory: kibibytes << 10, log: log ?? 0, descriptors: open.count, timers: open.count { $0.contains("timerfd") })
    }

    /// Fails if the daemon exceeds the limits and does not return below them within 20 seconds.
    private static func judge(
        _ process: Process, _ station: TestStation, _ small: Figures, _ when: String, _ outcome: inout Outcome
    ) async throws {
        let limit = ContinuousClock.now + .seconds(20)
        var (now, excess) = try await excess(process, station, small)
        while !excess.isEmpty, ContinuousClock.now < limit {
            try await Task.sleep(for: .milliseconds(100))
            (now, excess) = try await Self.excess(process, station, small)
        }
        if !excess.isEmpty { outcome.failures.append("\(when): \(excess): the daemon uses \(now), with a short queue \(small)") }
    }

    private static func excess(
        _ process: Process, _ station: TestStation, _ small: Figures
    ) async throws -> (now: Figures, excess: [String]) {
        let now = try await figures(process, station)
        let excess = [
            ("memory", now.memory > small.memory + memory), ("descriptors", now.descriptors > small.descriptors + descriptors),
            ("timers", now.timers > small.timers), ("log", now.log > log),
        ]
        return (now, excess.filter(\.1).map(\.0))
    }
}
