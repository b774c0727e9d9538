import CIdentity
import ControlAPI
import Foundation
import Glibc
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// Dropped files and folders with unusual times, sizes, modes, owners and attributes. The daemon must not crash, now or at its next start. It
/// delivers each file unchanged or refuses it with a reason.
struct HostileMetadata: DoorPart {
    static let name = "metadata"
    /// Files per round, and whether files of 32 MiB are among them.
    var files = 40
    var isWhole = true

    func run(until deadline: ContinuousClock.Instant, seed: UInt64, into outcome: inout Outcome) async throws {
        var dice = SplitMix64(seed: seed)
        let station = try await TestStation()
        var process = try await station.start()
        try await station.login()
        var (sent, refused, number) = (0, 0, 0)
        repeat {
            for _ in 0..<files {
                number += 1
                let isGood = try drop(number, into: station, &dice, &outcome)
                if isGood { sent += 1 } else { refused += 1 }
            }
            // Some files exist before the start.
            if Int.random(in: 0..<2, using: &dice) == 0 {
                if process.isRunning { try await station.end(SIGKILL) }
                process = try await station.start()
                outcome.met("kills of the daemon")
            }
            let problem = try await self.problem(with: station, process, sent: sent, refused: refused)
            outcome.rounds += 1
            if let problem {
                outcome.failures.append("door: metadata: \(problem). \(Self.replay(seed))")
                break
            }
        } while ContinuousClock.now < deadline
        outcome.acknowledged += sent
        outcome.lost += max(0, sent - station.sandbox.ledger.entries.count)
        if process.isRunning { try await station.end(SIGTERM) }
        await station.sandbox.stop()
    }

    /// Drops one file; false if it is not a capture.
    private func drop(_ number: Int, into station: TestStation, _ dice: inout SplitMix64, _ outcome: inout Outcome) throws -> Bool {
        let folder = station.directory("state/spool/new/users/\(5 + number % 3)")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let draft = station.directory("dropping")
        var isGood = true
        var content = Data(
            #"{"timestamp":\#(pick(Self.timestamps, &dice)),"average_measurements":{"14-818":{"value":\#(number),"description":"nose"}}}"#
                .utf8)
        switch Int.random(in: 0..<20, using: &dice) {
        case 0: (content, isGood) = (Data(), false)
        case 1: (content, isGood) = (Data("1".utf8), false)
        case 2 where isWhole: content += Data(repeating: 0x20, count: (32 << 20) - content.count)
        case 3 where isWhole: (content, isGood) = (content + Data(repeating: 0x20, count: (32 << 20) + 1 - content.count), false)
        default: break
        }
        try content.write(to: URL(fileURLWithPath: draft))
        if Int.random(in: 0..<10, using: &dice) == 0, truncate(draft, off_t(Int64.max - Int64.random(in: 0...9, using: &dice))) == 0 {
            isGood = false
            outcome.met("a file of 8 EiB")
        }
        for name in ["user.homing", "user.\u{1F642}", "security.homing"] { homing_set_attribute(draft, name, "odd") }
        chmod(draft, mode_t.random(in: 0...0o7777, using: &dice) | (geteuid() == 0 ? 0 : 0o400))
        if geteuid() == 0 { chown(draft, .random(in: 0...70_000, using: &dice), .random(in: 0...70_000, using: &dice)) }
        touch(draft, &dice)
        guard rename(draft, "\(folder)/\(number).json") == 0 else { throw StationError("a file could not be dropped") }
        // Folders too, since the daemon compares their times.
        for path in [folder, station.directory("state/spool/new"), station.directory("state/spool/refused")] { touch(path, &dice) }
        outcome.met("files with odd metadata")
        return isGood
    }

    private func touch(_ path: String, _ dice: inout SplitMix64) {
        let seconds =
            Int.random(in: 0..<2, using: &dice) == 0
            ? pick(Self.times, &dice) : Int.random(in: -100_000_000_000...300_000_000_000, using: &dice)
        homing_set_times(path, pick(Self.times, &dice), seconds)
    }

    private func pick<T>(_ all: [T], _ dice: inout SplitMix64) -> T { all[Int.random(in: 0..<all.count, using: &dice)] }

    /// The limits of 64 bits of nanoseconds, of calendars, and of 32 bits.
    private static let times: [Int] = [
        0, -1, 1, -62_135_596_800, 2_147_483_648, 4_294_967_296, 9_223_372_036, 9_223_372_037, -9_223_372_037, 10_413_792_000,
        253_402_300_800, .max, .min, .max / 1_000_000_000,
    ]
    /// As JSON.
    private static let timestamps = [
        "0", "-1", "1e308", "-1e308", "1765000000", "1765000000.123456789", "9223372036854775807", "18446744073709551616", "\"NaN\"",
        "\"Infinity\"", "null", "true", "253402300800", "1e-300",
    ]

    private func problem(with station: TestStation, _ process: Process, sent: Int, refused: Int) async throws -> String? {
        let end = ContinuousClock.now + .seconds(600)
        var last = ""
        while ContinuousClock.now < end {
            guard process.isRunning else { return "the daemon exited with \(process.terminationStatus)" }
            // `try?`: the daemon may be ending.
            if let status = try? await station.status(), let spool = status.spool {
                last =
                    "delivered \(station.sandbox.ledger.entries.count) of \(sent), refused \(spool.refused) of \(refused), \(status.sentence)"
                let isDone = spool.waiting + spool.stuck + spool.unclaimed == 0
                if isDone, spool.refused == refused, station.sandbox.ledger.entries.count == sent { return nil }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        return last
    }
}
