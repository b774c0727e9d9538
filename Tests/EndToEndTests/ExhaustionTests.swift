import ControlAPI
import Foundation
import Glibc
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@testable import SyncDaemon
@testable import homing_torture

/// The disks are tmpfs mounts in the daemon's namespace.
@Suite struct ExhaustionTests {
    /// Mounts a tmpfs on the state directory before homingd starts.
    private static func disk(_ station: TestStation, _ options: String) throws -> [String] {
        let state = station.directory("state")
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let mount = "mount -t tmpfs -o \(options),mode=700 tmpfs \"$0\" && exec \"$@\""
        return ["unshare", "--user", "--map-root-user", "--mount", "/bin/sh", "-c", mount, state]
    }

    /// The same, with a second daemon on the same disk after the first.
    private static func diskOfTwo(_ station: TestStation) throws -> [String] {
        var launcher = try disk(station, "size=32m")
        launcher[6] = launcher[6].replacing("exec \"$@\"", with: "\"$@\"; exec \"$@\"")
        return launcher
    }

    private static func signalFirst(of shell: Process, _ signal: Int32) throws {
        let children = "/proc/\(shell.processIdentifier)/task/\(shell.processIdentifier)/children"
        let first = try String(contentsOfFile: children, encoding: .utf8).trimmingCharacters(in: .whitespaces)
        #expect(kill(try #require(Int32(first)), signal) == 0)
    }

    /// The path of the state directory in the daemon's mount namespace.
    private static func state(_ process: Process, _ station: TestStation) -> String {
        "/proc/\(process.processIdentifier)/root\(station.directory("state"))"
    }

    private static func fill(_ folder: String) throws -> String {
        let path = folder + "/somebody-elses"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        var info = statvfs()
        try #require(statvfs(folder, &info) == 0)
        // At once: what the daemon releases from its reserve meanwhile must stay free.
        var blocks = Int(info.f_bavail)
        while blocks > 0, posix_fallocate(file, 0, off_t(blocks * Int(info.f_frsize))) != 0 { blocks -= 1 }
        return path
    }

    private static func takeInodes(_ folder: String) throws {
        var files = 0
        while case let file = open("\(folder)/f\(files)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600), file >= 0 {
            close(file)
            files += 1
        }
        try #require(errno == ENOSPC)
    }

    private static func submitLarge(_ station: TestStation, _ number: Int, size: Int) async throws(Problem) {
        let words = Samples.noise(size)
        let document = #"{"timestamp":\#(number),"average_measurements":{"14-818":{"value":17.25,"description":"\#(words)"}}}"#
        _ = try await station.client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                backend: "breathesafe", route: "measurement", id: Samples.id(number).description, fields: ["user_id": "5"],
                payload: Data(document.utf8)))
    }

    /// The anonymous memory in bytes.
    private static func memory(_ process: Process) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
        return try #require(Int(line.split(separator: " ")[1])) << 10
    }

    /// Otherwise a hundred MiB would stay allocated until a restart.
    @Test func memoryIsReleasedAfterLargePayloads() async throws {
        let station = try await TestStation()
        let process = try await station.start()
        try await station.login()
        let before = try Self.memory(process)
        let mesh = String(repeating: "x", count: 30 << 20)
        for number in 1...3 {
            let document = #"{"timestamp":\#(number),"average_measurements":{},"mesh":"\#(mesh)"}"#
            _ = try await station.client.call(
                Endpoints.submit,
                ControlAPI.Submission(
                    backend: "breathesafe", route: "measurement", id: Samples.id(number).description, fields: ["user_id": "5"],
                    payload: Data(document.utf8)))
        }
        try await station.event("delivered", count: 3)
        try await until(every: .milliseconds(100)) { try Self.memory(process) <= before + 16 << 20 }
        try await station.end(SIGTERM)
    }

    @Test func fullDiskRefusesNewEntriesAndDeliversStoredOnes() async throws {
        let station = try await TestStation()
        let process = try await station.start(through: Self.disk(station, "size=32m"))
        try await station.login()
        await station.sandbox.down()
        for number in 1...40 { try await station.submit(user: 5 + number % 4, id: number) }

        let state = Self.state(process, station)
        try #require(FileManager.default.fileExists(atPath: state + "/ballast"))
        let filler = try Self.fill(state)
        let accepted = 40 + (try await Self.submitUntilRefused(station))
        let full = try await Self.statusWithFullDisk(state, station)
        #expect(full.code == 2 && full.text.contains("The disk is full"), "\(full)")
        let backup = try await station.homing("backup", station.directory("homing.backup"))
        #expect(backup.code != 0 && backup.text.contains("Free some space on that disk, then repeat the command."), "\(backup)")
        #expect(!FileManager.default.fileExists(atPath: station.directory("homing.backup")))
        #expect(try await station.client.call(Endpoints.audit, AuditQuery(kind: "backup")).records.isEmpty)

        try await station.sandbox.up()
        try await station.homing("sync")
        try await station.event("delivered", count: accepted)
        #expect(station.sandbox.ledger.entries.count == accepted)
        #expect(station.sandbox.ledger.duplicates.isEmpty)
        let still = try await Self.statusWithFullDisk(state, station)
        #expect(still.code == 2, "\(still)")

        try FileManager.default.removeItem(atPath: filler)
        try await station.submit(id: 9000)
        try await station.event("delivered", count: accepted + 1)
        try await Self.waitUntilHealthy(station)
        try await station.end(SIGTERM)
    }

    /// The daemon checks the disk at intervals.
    private static func waitUntilHealthy(_ station: TestStation) async throws {
        try await until(every: .milliseconds(200)) { try await station.status().attention.isEmpty }
        #expect(try await station.homing("check").code == 0)
    }

    /// Submits until the disk stays full; emptying the WAL can free space.
    private static func submitUntilRefused(_ station: TestStation, size: Int = 20_000) async throws -> Int {
        var accepted = 0
        for number in 1001...4000 {
            do {
                try await submitLarge(station, number, size: size)
                accepted += 1
            } catch {
                #expect(error.status == 507 && error.title == "The disk is full", "\(error)")
                // One refusal is not enough, because space may become free.
                let status = try await station.homing("check")
                guard status.code == 2 else { continue }
                #expect(status.text.contains("The disk is full"), "\(status)")
                return accepted
            }
        }
        throw StationError("the disk does not get full")
    }

    /// Another process would take every byte that the WAL freed.
    @Test func writeAheadLogKeepsItsSpaceOnFullDisk() async throws {
        let station = try await TestStation()
        let process = try await station.start(through: Self.disk(station, "size=32m"))
        try await station.login()
        for number in 1...5 { try await station.submit(id: number) }
        let state = Self.state(process, station)
        let filler = try Self.fill(state)
        try await station.event("delivered", count: 5)
        func log() throws -> Int? { try FileManager.default.attributesOfItem(atPath: "\(state)/outbox.sqlite-wal")[.size] as? Int }
        try await Task.sleep(for: .seconds(Housekeeping.logKept + 2))
        #expect(try log() != 0)
        try FileManager.default.removeItem(atPath: filler)
        try await until(every: .milliseconds(200)) { try log() == 0 }
        try await station.end(SIGTERM)
    }

    @Test func oversizedSubmissionDoesNotBlockSmallerOnes() async throws {
        let station = try await TestStation()
        _ = try await station.start(through: Self.disk(station, "size=64m"))
        try await station.login()
        for _ in 0..<2 {
            let error = await #expect(throws: Problem.self) { try await Self.submitLarge(station, 1, size: 29 << 20) }
            #expect(error?.status == 507, "\(String(describing: error))")
        }
        let full = try await station.homing("check")
        #expect(full.code == 2 && full.text.contains("The disk is full: Homing accepts no new captures"), "\(full)")
        for number in 2...5 { try await station.submit(id: number) }
        try await Self.submitLarge(station, 6, size: 10 << 20)
        try await station.event("delivered", count: 5)
        try await Self.waitUntilHealthy(station)
        try await station.end(SIGTERM)
    }

    @Test func oversizedDroppedFileStopsTheDropFolderUntilItIsRemoved() async throws {
        let station = try await TestStation()
        let process = try await station.start(through: Self.disk(station, "size=64m"))
        try await station.login()
        let state = Self.state(process, station)
        func drop(_ user: Int, _ name: String, size: Int) throws {
            let folder = "\(state)/spool/new/users/\(user)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let words = Samples.noise(size)
            let document = #"{"average_measurements":{"14-818":{"value":17.25,"description":"\#(words)"}}}"#
            try Data(document.utf8).write(to: URL(fileURLWithPath: state + "/draft"))
            try FileManager.default.moveItem(atPath: state + "/draft", toPath: "\(folder)/\(name)")
        }
        try drop(7, "large.json", size: 28 << 20)
        try drop(7, "later.json", size: 10)
        for number in 1...3 { try drop(5, "\(number).json", size: 10) }
        try await until(every: .milliseconds(200)) {
            try await station.status().sentence.contains("5 files in the drop folder cannot be accepted")
        }
        let status = try await station.homing("status")
        let words = status.text.replacing(/\s+/, with: " ")
        #expect(status.code == 6 && words.contains("5 files in the drop folder cannot be accepted"), "\(status.text)")
        #expect(words.contains("it needs 61 MiB of free disk space"), "\(status.text)")

        let taken = try FileManager.default.contentsOfDirectory(atPath: state + "/spool/taken").filter { $0.hasSuffix("large.json") }
        #expect(taken.count == 1)
        for name in taken { try FileManager.default.removeItem(atPath: "\(state)/spool/taken/\(name)") }
        try await station.event("delivered", count: 4)
        #expect(station.sandbox.ledger.entries.count == 4 && station.sandbox.ledger.duplicates.isEmpty)
        try await station.end(SIGTERM)
    }

    /// No other file can be removed, so deliveries must free the space.
    @Test(arguments: [500_000, 2_000_000])
    func deliveriesFreeSpaceOnAFullDisk(size: Int) async throws {
        let station = try await TestStation()
        try await station.start(through: Self.disk(station, "size=32m"))
        try await station.login()
        await station.sandbox.down()
        let accepted = try await Self.submitUntilRefused(station, size: size)

        try await station.sandbox.up()
        try await station.homing("sync")
        try await station.event("delivered", count: accepted)
        #expect(station.sandbox.ledger.entries.count == accepted)
        #expect(station.sandbox.ledger.duplicates.isEmpty)
        // There is room for half as many again, whether the store reuses the space or frees it.
        let again = 1 + accepted / 2
        for number in 9000..<9000 + again { try await Self.submitLarge(station, number, size: size) }
        try await station.event("delivered", count: accepted + again)
        try await Self.waitUntilHealthy(station)
        try await station.end(SIGTERM)
    }

    /// Not even outcomes can be stored, so the daemon sends nothing and reports that.
    @Test func sendsNothingWhileTheReserveIsUsedUp() async throws {
        let station = try await TestStation()
        let process = try await station.start(through: Self.disk(station, "size=48m"))
        try await station.login()
        await station.sandbox.down()
        // Overwriting a delivered entry needs as much WAL as the entry.
        for number in 1...3 { try await Self.submitLarge(station, number, size: 4_000_000) }
        // Waits until the WAL has no space to reuse.
        let state = Self.state(process, station)
        try await until(every: .milliseconds(200)) {
            try FileManager.default.attributesOfItem(atPath: "\(state)/outbox.sqlite-wal")[.size] as? Int == 0
        }
        #expect(unlink("\(state)/ballast") == 0)
        let filler = try Self.fill(state)
        try await station.sandbox.up()
        try await station.homing("sync")
        try await until(every: .milliseconds(200)) {
            try await station.status().attention.contains { $0.text.contains("can neither accept nor send") }
        }
        #expect(try await station.homing("check").code == 2)
        try FileManager.default.removeItem(atPath: filler)
        try await station.event("delivered", count: 3)
        #expect(Set(station.sandbox.ledger.entries.compactMap(\.clientMutationID)).count == 3)
        try await station.submit(id: 9)
        try await station.event("delivered", count: 4)
        try await Self.waitUntilHealthy(station)
        try await station.end(SIGTERM)
    }

    @Test func aDaemonStartsOnAFullDiskAndDelivers() async throws {
        let station = try await TestStation()
        let shell = try await station.start(through: Self.diskOfTwo(station))
        try await station.login()
        await station.sandbox.down()
        for number in 1...20 { try await station.submit(id: number) }
        _ = try Self.fill(Self.state(shell, station))
        try Self.signalFirst(of: shell, SIGKILL)
        try await station.sandbox.up()
        // `try?`: nothing answers during the restart.
        try await until { (try? await station.event("delivered", count: 20)) != nil }
        #expect(station.sandbox.ledger.entries.count == 20)
        #expect(station.sandbox.ledger.duplicates.isEmpty)
        let status = try await Self.statusWithFullDisk(Self.state(shell, station), station)
        #expect(status.code == 2 && status.text.contains("The disk is full"), "\(status)")
        try await station.end(SIGTERM)
    }

    /// Refills the disk each time, because deliveries free space.
    private static func statusWithFullDisk(_ folder: String, _ station: TestStation) async throws -> (code: Int32, text: String) {
        while true {
            _ = try fill(folder)
            let status = try await station.homing("check")
            if status.code != 0 { return status }
        }
    }

    /// The WAL has space for outcomes and for the renewed token. See Ballast.
    @Test(arguments: ["size=32m", "size=32m,nr_inodes=64"])
    func tokenIsRenewedAndStoredOnFullDisk(disk: String) async throws {
        let station = try await TestStation.lists2026()
        let process = try await station.start(through: Self.disk(station, disk))
        try await station.login()
        for number in 1...45 { try await station.createList(number) }
        try await station.event("delivered", count: 45)
        await station.sandbox.down()
        for number in 101...103 { try await station.createList(number) }
        let state = Self.state(process, station)
        if disk.contains("inodes") { try Self.takeInodes(state) } else { _ = try Self.fill(state) }
        station.sandbox.expireSessions(rememberTokens: false)
        try await station.sandbox.up()
        try await station.homing("sync")
        try await station.event("delivered", count: 48)
        #expect(station.sandbox.ledger.requestCount("POST", path: "auth/refresh", status: 200) == 1)
        #expect(try await station.status().backends.first?.session.state == "signedIn")
        try await station.end(SIGTERM)
    }

    @Test func aDamagedStoreIsSalvagedOnAFullDisk() async throws {
        let station = try await TestStation()
        let shell = try await station.start(through: Self.diskOfTwo(station))
        try await station.login()
        await station.sandbox.down()
        let state = Self.state(shell, station)
        let log = try FileHandle(forUpdating: URL(fileURLWithPath: state + "/outbox.sqlite-wal"))
        var count = 0
        // On a slow machine the daemon may have emptied the WAL already; then there is nothing to damage.
        repeat {
            try Self.signalFirst(of: shell, SIGCONT)
            for _ in 1...5 {
                count += 1
                try await station.submit(id: count)
            }
            try Self.signalFirst(of: shell, SIGSTOP)
        } while try log.seekToEnd() < 32 + 24 + 4096
        _ = try Self.fill(state)
        // Damages the first WAL frame, which invalidates all later ones.
        try log.seek(toOffset: 32 + 24 + 3000)
        let byte = try #require(try log.read(upToCount: 1)?.first)
        try log.seek(toOffset: 32 + 24 + 3000)
        try log.write(contentsOf: Data([byte ^ 0x40]))
        try log.close()
        try Self.signalFirst(of: shell, SIGKILL)
        try await station.sandbox.up()
        // `try?`: nothing answers during the restart.
        try await until { (try? await station.event("salvaged")) != nil }
        // The damage to the WAL has cost the session.
        try await station.login()
        try await station.event("delivered", count: count)
        #expect(station.sandbox.ledger.entries.count == count)
        #expect(try await station.status().attention.first?.code == "store-damaged")
        try await station.end(SIGTERM)
    }

    @Test func submissionsAreDeliveredWithoutFreeInodes() async throws {
        let station = try await TestStation()
        let process = try await station.start(through: Self.disk(station, "size=32m,nr_inodes=64"))
        try await station.login()
        try Self.takeInodes(Self.state(process, station))
        for number in 1...10 { try await station.submit(id: number) }
        try await station.event("delivered", count: 10)
        #expect(station.sandbox.ledger.entries.count == 10)
        let logout = try await station.homing("logout", "--yes")
        #expect(logout.code == 0, "\(logout)")
        let status = try await station.status()
        #expect(status.backends.first?.session.state == "signedOut")
        try await station.end(SIGTERM)
    }

    @Test func readOnlyDiskIsReportedAndStopsTheDaemon() async throws {
        let station = try await TestStation()
        let launcher = try Self.disk(station, "ro,size=1m")
        let error = await #expect(throws: StationError.self) { try await station.start(through: launcher) }
        #expect(error?.description.contains("Read-only file system") == true, "\(String(describing: error))")
    }

    @Test func idleConnectionsDoNotExhaustDescriptors() async throws {
        let station = try await TestStation()
        let process = try await station.start(through: ["prlimit", "--nofile=96"])
        try await station.login()
        try await station.submit(id: 1)
        try await station.event("delivered")
        var idle: [Int32] = []
        defer { for descriptor in idle { close(descriptor) } }
        let before = try Self.processorTicks(process)
        for _ in 0..<200 {
            if let descriptor = TestStation.connect(station.directory("homing.sock")) { idle.append(descriptor) }
            await pauseBriefly()
            #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count < 96)
        }
        try await Task.sleep(for: .seconds(2))
        #expect(try Self.processorTicks(process) - before < 150, "it turns in circles")
        for descriptor in idle { close(descriptor) }
        idle = []
        // `try?`: refused callers try again.
        for number in 2...5 { try await until { (try? await station.submit(id: number)) != nil } }
        try await station.event("delivered", count: 5)
        #expect(station.sandbox.ledger.entries.count == 5)
        try await station.end(SIGTERM)
    }

    @Test func doesNotSpinWithoutFreeDescriptors() async throws {
        let station = try await TestStation()
        var environment = try Recorder(root: station.directory("state"), log: nil).environment(met: station.directory("met"))
        environment["RECORDER_FAIL"] = Injection(call: "accept4", error: "EMFILE", number: 1, count: 1_000_000).environment
        let process = try await station.start(environment)
        let caller = try #require(TestStation.connect(station.directory("homing.sock")))
        defer { close(caller) }
        try await until { FileManager.default.fileExists(atPath: station.directory("met")) }
        let before = try Self.processorTicks(process)
        // A busy loop uses 100 ticks per second.
        try await Task.sleep(for: .seconds(4))
        #expect(try Self.processorTicks(process) - before < 50, "it turns in circles")
        #expect(try await station.end(SIGTERM) == 0)
    }

    /// User and system time in ticks of 10 ms.
    private static func processorTicks(_ process: Process) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
        let fields = text.drop { $0 != ")" }.split(separator: " ")
        return (Int(fields[12]) ?? 0) + (Int(fields[13]) ?? 0)
    }
}
