import ControlAPI
import Foundation
import Glibc
import Sandbox
import StationSupport
import SyncModel
import SystemPackage
import TestSupport

/// Hostile content in the drop folder of a real daemon. The daemon must not crash, hang or grow. It reads and sends nothing from outside the folder,
/// reports every file that it does not take, and delivers the valid ones.
struct HostileSpool: DoorPart {
    static let name = "spool"
    /// The number of additional broken files; nil for as many as the time allows.
    var flood: Int?
    /// Includes a file of 4 GiB and other slow ones.
    var isWhole = true

    private static let user: UInt32 = 61_500
    /// The limit for VmHWM in KiB: a few files of 32 MiB, but never 4 GiB.
    private static let mostMemory = 600 << 10

    func run(until deadline: ContinuousClock.Instant, seed: UInt64, into outcome: inout Outcome) async throws {
        // Refusing one takes about ten milliseconds, since it is made durable.
        let flood = flood ?? (deadline - .now > .seconds(600) ? 20_000 : 2000)
        let station = try await TestStation()
        let log = station.directory("log")
        let process = try await station.startUnprivileged(as: Self.user, logTo: log)
        try await station.login()
        let new = station.directory("state/spool/new")
        var problems: [String] = []
        let outside = try Outside(owner: Self.user)

        // Placed while the daemon scans, mostly with a rename, as well-behaved programs do.
        let staging = station.directory("state/spool/.staging")
        mkdir(staging, 0o777)
        var hazards = DropHazard.names + DropHazard.contents + DropHazard.places
        if flood < 1000 { hazards.removeAll { $0.content.count > 1 << 20 } }
        for (number, hazard) in hazards.enumerated() { try Self.put(hazard, in: new, by: "\(staging)/\(number)") }
        outcome.met("files with hostile names", DropHazard.names.count)
        outcome.met("files that are not captures", hazards.count - DropHazard.names.count - DropHazard.places.count)
        outcome.met("files in wrong places", DropHazard.places.count)
        var stuck = hazards.count { $0.fate == .stuck }
        let unclaimed = hazards.count { $0.fate == .unclaimed }
        for node in DropNode.all {
            guard node.make("\(new)/\(node.path)", outside.path) else {
                outcome.counted("skipped, because this system cannot create it: \(node.words)")
                continue
            }
            stuck += 1
            outcome.met("links, pipes, sockets, devices and folders")
        }
        var delivered = hazards.count { $0.fate == .delivered }
        var refused = hazards.count { if case .refused = $0.fate { true } else { false } }

        link(outside.path + "/linked.json", "\(new)/users/5/hard-1.json")
        link(station.directory("state/homing.key"), "\(new)/users/5/hard-2.json")
        stuck += 2
        outcome.met("hard links", 2)
        let key = try Data(contentsOf: URL(fileURLWithPath: station.directory("state/homing.key")))

        if isWhole {
            let sparse = "\(staging)/sparse"
            let file = open(sparse, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
            ftruncate(file, 4 << 30)
            close(file)
            rename(sparse, "\(new)/users/5/sparse.json")
            refused += 1
            outcome.met("a file of 4 GiB")
        }
        if geteuid() == 0 {
            let places = try Self.putForbidden(in: new, by: staging)
            stuck += places
            outcome.met("files and folders without permission", places)
        } else {
            outcome.counted("skipped for lack of root: files of other users without permission")
        }

        // A file that is written slowly must be taken only after its writer closes it.
        let slow = "\(new)/users/5/slow.json"
        let writer = open(slow, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        // Owned by the daemon's user: the kernel reports writers of other users' files only with CAP_LEASE, which the daemon has under systemd.
        fchown(writer, Self.user, Self.user)
        let text = Array(DropHazard.capture(4000).utf8)
        _ = text[..<10].withUnsafeBytes { write(writer, $0.baseAddress, $0.count) }
        outcome.met("a file that is written slowly")

        let began = ContinuousClock.now
        for number in 0..<flood {
            let name = "\(staging)/f\(number)"
            try Data("no capture \(number)".utf8).write(to: URL(fileURLWithPath: name))
            chown(name, Self.user, Self.user)
            let folder = "\(new)/users/\(1000 + number % 50)"
            if number < 50 {
                mkdir(folder, 0o777)
                lchown(folder, Self.user, Self.user)
            }
            rename(name, "\(folder)/\(number < flood / 4 ? "capture-\(number / 50)" : "\(number)").json")
            if try Self.race(for: station.directory("state"), in: new, by: staging) { refused += 1 }
        }
        refused += flood
        outcome.met("broken files at once", flood)
        outcome.met("folders replaced with a link to the state directory", flood)

        func check(_ limit: Duration, _ isThere: (SpoolReport, Int) -> Bool) async throws -> (SpoolReport, Int)? {
            var last: (SpoolReport, Int)?
            let end = ContinuousClock.now + limit
            while ContinuousClock.now < end, process.isRunning {
                let status = try await Deadline.within(.seconds(300), of: "status") { try await station.status() }
                guard let spool = status.spool else { return nil }
                last = (spool, station.sandbox.ledger.entries.count)
                if isThere(spool, station.sandbox.ledger.entries.count) { return last }
                try await Task.sleep(for: .milliseconds(flood > 1000 ? 500 : 50))
            }
            return last
        }
        let limit = Duration.seconds(600 + flood / 5)
        let first = try await check(limit) { $0.refused >= refused && $1 >= delivered && $0.stuck >= stuck && $0.unclaimed >= unclaimed }
        if let first, (first.0.refused, first.0.stuck, first.0.unclaimed, first.1) != (refused, stuck, unclaimed, delivered) {
            problems.append(
                "refused \(first.0.refused) of \(refused), stuck \(first.0.stuck) of \(stuck), unclaimed \(first.0.unclaimed) of \(unclaimed), delivered \(first.1) of \(delivered)"
            )
        }
        outcome.worstRecovery = max(outcome.worstRecovery ?? 0, (ContinuousClock.now - began) / .seconds(1))
        if access(slow, F_OK) != 0 { problems.append("a file was taken while it was being written") }
        _ = text[10...].withUnsafeBytes { write(writer, $0.baseAddress, $0.count) }
        close(writer)
        delivered += 1
        let last = try await check(.seconds(600)) { $1 >= delivered }
        if last?.1 != delivered { problems.append("a slowly written file was not delivered after it was closed") }

        guard process.isRunning else {
            outcome.failures.append("door: the daemon exited with \(process.terminationStatus). \(Self.replay(seed))")
            return
        }
        problems += try await Self.account(station, hazards: hazards, refused: refused)
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

    private static func put(_ hazard: DropHazard, in new: String, by staging: String) throws {
        try Data(hazard.content).write(to: URL(fileURLWithPath: staging))
        chown(staging, user, user)
        let path = FilePath(new)
        let target = FilePath(platformString: Array(new.utf8CString.dropLast()) + [0x2f] + hazard.path.map(CChar.init(bitPattern:)) + [0])
        var folders: [FilePath] = []
        while case let folder = (folders.last ?? target).removingLastComponent(), folder != path { folders.append(folder) }
        for folder in folders.reversed() {
            folder.withPlatformString {
                mkdir($0, 0o777)
                lchown($0, user, user)
            }
        }
        let isThere = target.withPlatformString { rename(staging, $0) == 0 }
        guard isThere else { throw StationError("could not create \(hazard.words): \(String(cString: strerror(errno)))") }
    }

    /// Briefly replaces a folder, which has a file with the name of the daemon's key, with a link to `state`. True if the file is new.
    private static func race(for state: String, in new: String, by staging: String) throws -> Bool {
        let (folder, aside) = ("\(new)/users/30", "\(new)/users/.aside")
        mkdir(folder, 0o777)
        lchown(folder, user, user)
        let isNew = access(folder + "/homing.key", F_OK) != 0
        if isNew {
            try Data("no capture".utf8).write(to: URL(fileURLWithPath: staging + "/key"))
            chown(staging + "/key", user, user)
            rename(staging + "/key", folder + "/homing.key")
        }
        rename(folder, aside)
        symlink(state, folder)
        unlink(folder)
        rename(aside, folder)
        return isNew
    }

    private static func putForbidden(in new: String, by staging: String) throws -> Int {
        func file(_ path: String, _ mark: Int, mode: mode_t) throws {
            try Data(DropHazard.capture(mark).utf8).write(to: URL(fileURLWithPath: staging + "/own"))
            chmod(staging + "/own", mode)
            rename(staging + "/own", path)
        }
        try file("\(new)/users/5/unreadable.json", 3000, mode: 0)
        mkdir("\(new)/users/20", 0o755)
        try file("\(new)/users/20/a.json", 3001, mode: 0o644)
        mkdir("\(new)/users/21", 0o700)
        try file("\(new)/users/21/a.json", 3002, mode: 0o644)
        mkdir("\(new)/users/22", 0o711)
        try file("\(new)/users/22/a.json", 3003, mode: 0o644)
        return 4
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
