import ControlAPI
import Foundation
import Glibc
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// Hostile content in the drop folder of a real daemon. The daemon must not crash, hang or grow. It reads and sends nothing from outside the folder,
/// reports every file that it does not take, and delivers the valid ones.
struct HostileSpool: DoorPart {
    static let name = "spool"
    /// The number of additional broken files; nil for as many as the time allows.
    var flood: Int?
    /// Includes a file of 4 GiB and other slow ones.
    var isWhole = true

    static let user: UInt32 = 61_500
    /// The limit for VmHWM in KiB: a few files of 32 MiB, but never 4 GiB.
    private static let mostMemory = 600 << 10

    func run(until deadline: ContinuousClock.Instant, seed: UInt64, into outcome: inout Outcome) async throws {
        // Refusing one takes about ten milliseconds, since it is made durable.
        let flood = flood ?? (deadline - .now > .seconds(600) ? 20_000 : 2000)
        let station = try await TestStation()
        let log = station.directory("log")
        let process = try await station.startUnprivileged(as: Self.user, logTo: log)
        try await station.login()
        var problems: [String] = []
        let outside = try Outside(owner: Self.user)
        var hazards = DropHazard.names + DropHazard.contents + DropHazard.places
        if flood < 1000 { hazards.removeAll { $0.content.count > 1 << 20 } }

        var drops = HostileDrops(at: station)
        try drops.put(hazards, &outcome)
        drops.putNodes(to: outside, &outcome)
        let key = try Data(contentsOf: URL(fileURLWithPath: station.directory("state/homing.key")))
        if isWhole { drops.putSparse(&outcome) }
        try drops.putForbidden(&outcome)
        let slow = drops.beginSlowFile(&outcome)
        let began = ContinuousClock.now
        try drops.flood(flood, &outcome)
        let expected = drops.expected

        let pause = Duration.milliseconds(flood > 1000 ? 500 : 50)
        let first = try await Self.fates(at: station, of: process, within: .seconds(600 + flood / 5), every: pause) {
            $0.refused >= expected.refused && $0.delivered >= expected.delivered && $0.stuck >= expected.stuck
                && $0.unclaimed >= expected.unclaimed
        }
        if let first, first != expected { problems.append(first.difference(from: expected)) }
        outcome.worstRecovery = max(outcome.worstRecovery ?? 0, (ContinuousClock.now - began) / .seconds(1))
        if !slow.isThere { problems.append("a file was taken while it was being written") }
        slow.finish()
        let delivered = expected.delivered + 1
        let last = try await Self.fates(at: station, of: process, within: .seconds(600), every: pause) { $0.delivered >= delivered }
        if last?.delivered != delivered { problems.append("a slowly written file was not delivered after it was closed") }

        guard process.isRunning else {
            outcome.failures.append("door: the daemon exited with \(process.terminationStatus). \(Self.replay(seed))")
            return
        }
        problems += try await Self.account(station, hazards: hazards, refused: expected.refused)
        problems += outside.problems
        if try Data(contentsOf: URL(fileURLWithPath: station.directory("state/homing.key"))) != key {
            problems.append("the key has changed")
        }
        problems += try await Self.sayings(station, log: log)
        let memory = Self.mostMemory(of: process)
        print("  the daemon used at most \(memory >> 10) MiB for the dropped files, after \(ContinuousClock.now - began)")
        if memory > Self.mostMemory { problems.append("the daemon used \(memory) KiB of memory") }
        outcome.acknowledged += delivered
        outcome.lost += max(0, delivered - station.sandbox.ledger.entries.count)
        outcome.failures += problems.map { "door: the drop folder: \($0). \(Self.replay(seed))" }
        outcome.rounds += 1
        try await station.end(SIGTERM)
        await station.sandbox.stop()
    }

    /// The first fates that are enough, or the last ones before the limit or the daemon's exit.
    private static func fates(
        at station: TestStation, of process: Process, within limit: Duration, every pause: Duration,
        until areEnough: (HostileDrops.Fates) -> Bool
    ) async throws -> HostileDrops.Fates? {
        var last: HostileDrops.Fates?
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end, process.isRunning {
            let status = try await Deadline.within(.seconds(300), of: "status") { try await station.status() }
            guard let spool = status.spool else { return nil }
            let fates = HostileDrops.Fates(
                refused: spool.refused, stuck: spool.stuck, unclaimed: spool.unclaimed, delivered: station.sandbox.ledger.entries.count)
            if areEnough(fates) { return fates }
            last = fates
            try await Task.sleep(for: pause)
        }
        return last
    }

    /// Checks that each refused file has its reason, and that only valid files were sent.
    private static func account(_ station: TestStation, hazards: [DropHazard], refused: Int) async throws -> [String] {
        var problems: [String] = []
        let folder = station.directory("state/spool/refused")
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
        let reasons = try names.filter { names.contains($0 + ".reason") }.map { name in
            (name, try String(contentsOfFile: "\(folder)/\(name).reason", encoding: .utf8))
        }
        if names.count != 2 * refused { problems.append("refused/ holds \(names.count) names for \(refused) files") }
        for (name, reason) in reasons where reason.count < 15 || !reason.hasSuffix(".\n") {
            problems.append("\(name.debugDescription) was refused with the reason \(reason.debugDescription)")
        }
        for hazard in hazards {
            guard case .refused(let words) = hazard.fate,
                let start = hazard.path.lastIndex(of: UInt8(ascii: "/")) ?? hazard.path.indices.first
            else { continue }
            let name = String(decoding: hazard.path[start...].drop { $0 == UInt8(ascii: "/") }, as: UTF8.self)
            let found = reasons.filter { $0.0 == name }
            if !found.contains(where: { words.isEmpty || $0.1.contains(words) }) {
                problems.append("\(hazard.words): expected to be refused with “\(words)”, found \(found.map(\.1))")
            }
        }
        for hazard in hazards where hazard.fate == .left {
            let path = station.directory("state/spool/new/") + String(decoding: hazard.path, as: UTF8.self)
            if access(path, F_OK) != 0 { problems.append("\(hazard.words) is gone") }
        }
        let sent = station.sandbox.ledger.entries
        if !sent.allSatisfy({ $0.user == 5 }) { problems.append("sent for the users \(Set(sent.map(\.user))), expected only 5") }
        if !station.sandbox.ledger.duplicates.isEmpty { problems.append("some entries were sent twice") }
        let documents = Set(sent.map(\.digest))
        if documents.count != sent.count { problems.append("\(sent.count) entries were sent, but only \(documents.count) are different") }
        var entries = try await station.entries()
        // The backend has the last entry before the daemon stores the response.
        let limit = ContinuousClock.now + .seconds(300)
        while entries.contains(where: { $0.state == "inflight" }), ContinuousClock.now < limit {
            try await Task.sleep(for: .milliseconds(20))
            entries = try await station.entries()
        }
        if entries.contains(where: { $0.state != "delivered" }) {
            problems.append("accepted but not delivered: \(entries.filter { $0.state != "delivered" })")
        }
        return problems
    }

    /// Checks that files are reported, without control characters and forged log lines.
    private static func sayings(_ station: TestStation, log: String) async throws -> [String] {
        var problems: [String] = []
        let status = try await station.status()
        for code in ["stuck-files", "refused-files"] where !status.attention.contains(where: { $0.code == code }) {
            problems.append("the status does not report \(code)")
        }
        for command in [["status"], ["events", "--since", "0"]] {
            let said = try await station.homing(command)
            if let bad = Self.steering(said.text) { problems.append("‘homing \(command[0])’ prints \(bad)") }
        }
        let lines = String(decoding: try Data(contentsOf: URL(fileURLWithPath: log)), as: UTF8.self)
        if let bad = Self.steering(lines) { problems.append("the log contains \(bad)") }
        if lines.split(separator: "\n").contains(where: { $0.hasPrefix("FORGED") }) {
            problems.append("a file name forged a log line")
        }
        return problems
    }

    /// The first control or bidirectional character; nil if there is none.
    private static func steering(_ text: String) -> String? {
        let bad = text.unicodeScalars.first { scalar in
            scalar != "\n"
                && (scalar.properties.generalCategory == .control || (0x202A...0x202E).contains(scalar.value)
                    || (0x2066...0x2069).contains(scalar.value))
        }
        return bad.map { "U+\(String($0.value, radix: 16))" }
    }

    /// VmHWM in KiB.
    private static func mostMemory(of process: Process) -> Int {
        // `try?`: counts as 0, for a process that has ended.
        let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
