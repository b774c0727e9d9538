import ControlAPI
import Foundation
import Sandbox
import StationSupport
import TestSupport
import Testing

@Suite struct ClaimTests {
    private func drop(_ station: TestStation, _ numbers: ClosedRange<Int>) throws {
        let folder = station.directory("state/spool/new/users/5")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for number in numbers {
            try TestStation.measurement(1_764_000_000 + number).write(to: URL(fileURLWithPath: station.directory("dropping")))
            try FileManager.default.moveItem(atPath: station.directory("dropping"), toPath: "\(folder)/\(number).json")
        }
    }

    private func waitForUnclaimed(_ count: Int, _ station: TestStation) async throws {
        try await until { try await station.status().spool?.unclaimed == count }
    }

    @Test func filesDroppedWhileSignedOutAreSentOnceClaimed() async throws {
        let station = try await TestStation()
        try await station.start()
        try drop(station, 1...3)
        try await waitForUnclaimed(3, station)
        #expect(try await station.homing("claim").code == 5)
        // This also covers a file dropped while the daemon is down.
        try await station.end(SIGKILL)
        try drop(station, 4...4)
        try await station.start()

        let login = try await station.homing(
            "login", "--email", "manager@lab.test", "--password-stdin", input: BreatheSafeConfiguration.labPassword)
        let question = /4 files were dropped while signed out. Are they yours\? The first one was dropped as new\/users\/5\/\d.json. To/
        #expect(login.code == 0 && login.text.contains(question), "\(login.text)")
        #expect(login.text.contains(" To send them as manager@lab.test, run: homing claim"), "\(login.text)")
        try drop(station, 5...5)
        try await station.event("delivered")
        let status = try await station.homing("status")
        #expect(status.code == 6, "\(status.text)")
        #expect(status.text.contains("4 files were dropped while signed out. Are they yours?"), "\(status.text)")
        #expect(status.text.contains(/The first one was dropped as new\/users\/5\/\d.json.\n/), "\(status.text)")
        #expect(status.text.hasPrefix("Everything else has been delivered: 1 capture."), "\(status.text)")
        #expect(try await station.entries().count == 1)
        try await station.end(SIGTERM)
        try await station.start()
        #expect(try await station.status().spool?.unclaimed == 4)

        let unconfirmed = try await station.homing("claim")
        #expect(unconfirmed.code == 2 && unconfirmed.text.contains("--yes"), "\(unconfirmed.text)")
        #expect(try await station.status().spool?.unclaimed == 4)
        let claim = try await station.homing("claim", "--yes")
        #expect(claim.code == 0 && claim.text.hasPrefix("Claimed 4 files for manager@lab.test."), "\(claim.text)")
        try await station.event("delivered", count: 5)
        let event = try #require(try await station.event("claimed"))
        #expect(event.detail["files"] == "4" && event.detail["by"]?.contains("uid") == true)
        #expect(try await station.homing("claim").text == "No files are waiting to be claimed.\n")
        #expect(try await station.status().attention.isEmpty)
        let entries = try await station.entries().sorted { $0.capturedAt < $1.capturedAt }
        #expect(entries.map { Int($0.capturedAt.timeIntervalSince1970) - 1_764_000_000 } == [1, 2, 3, 4, 5])
        #expect(entries.allSatisfy { $0.acceptedAt > $0.capturedAt })
        try await station.end(SIGTERM)
    }

    @Test func refusedFileStaysInTheStatusUntilItIsDiscarded() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        try Data("{".utf8).write(to: URL(fileURLWithPath: station.directory("dropping")))
        try FileManager.default.moveItem(atPath: station.directory("dropping"), toPath: station.directory("state/spool/new/bad.json"))
        try await station.event("fileRefused")
        let status = try await station.status()
        #expect(status.spool?.refusedFiles == ["bad.json"] && status.attention.map(\.code) == ["refused-files"])
        #expect(status.attention.first?.next.contains("homing discard --file bad.json --reason TEXT") == true)

        let wrong = try await station.homing("discard", "--file", "good.json", "--reason", "a test", "--yes")
        #expect(wrong.code == 1 && wrong.text.contains("There is no refused file ‘good.json’."), "\(wrong.text)")
        let unconfirmed = try await station.homing("discard", "--file", "bad.json", "--reason", "a test")
        #expect(unconfirmed.code == 2 && unconfirmed.text.contains("--yes"), "\(unconfirmed.text)")
        let done = try await station.homing("discard", "--file", "bad.json", "--reason", "a test", "--yes")
        #expect(done.code == 0 && done.text == "The refused file ‘bad.json’ was discarded.\n", "\(done.text)")
        let event = try #require(try await station.event("fileDiscarded"))
        #expect(event.detail["file"] == "bad.json" && event.detail["note"] == "a test" && event.detail["by"]?.contains("uid") == true)
        #expect(try await station.status().attention.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: station.directory("state/spool/refused")).isEmpty)
        try await station.end(SIGTERM)
    }

    /// More than the status names.
    @Test func allRefusedFilesAreDiscardedAtOnce() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        for number in 1...25 {
            try Data("{".utf8).write(to: URL(fileURLWithPath: station.directory("dropping")))
            try FileManager.default.moveItem(
                atPath: station.directory("dropping"), toPath: station.directory("state/spool/new/\(number).json"))
        }
        try await until { try await station.status().spool?.refused == 25 }
        let unconfirmed = try await station.homing("discard", "--all-files", "--reason", "a test")
        #expect(unconfirmed.code == 2 && unconfirmed.text.contains("--yes"), "\(unconfirmed.text)")
        #expect(try await station.status().spool?.refused == 25)
        let done = try await station.homing("discard", "--all-files", "--reason", "a test", "--yes")
        #expect(done.code == 0 && done.text == "25 refused files were discarded.\n", "\(done.text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: station.directory("state/spool/refused")).isEmpty)
        let again = try await station.homing("discard", "--all-files", "--reason", "a test", "--yes")
        #expect(again.code == 0 && again.text == "There are no refused files to discard.\n", "\(again.text)")
        try await station.end(SIGTERM)
    }

    /// Only root can start a program as another user.
    @Test(.enabled(if: geteuid() == 0)) func refusedFilesOfOtherUsersStayAndAreNamed() async throws {
        let station = try await TestStation()
        try station.configure("access: {operate: 61002}\n")
        try await station.start()
        try await station.login()
        chmod(station.directory.path, 0o755)
        chmod(station.directory("homing.sock"), 0o666)
        for name in ["a.json", "b.json", "c.json"] {
            try Data("{".utf8).write(to: URL(fileURLWithPath: station.directory("dropping")))
            try FileManager.default.moveItem(atPath: station.directory("dropping"), toPath: station.directory("state/spool/new/\(name)"))
        }
        try await until { try await station.status().spool?.refused == 3 }
        let refused = station.directory("state/spool/refused")
        #expect(chown("\(refused)/b.json", 65534, 65534) == 0)

        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        process.arguments =
            ["--reuid=65534", "--regid=65534", "--groups=61002", TestStation.programs + "/homing"]
            + ["discard", "--all-files", "--reason", "a test", "--yes", "--socket", station.directory("homing.sock")]
        let done = try await process.ended()
        #expect(done.code == 4 && done.text.contains("The refused file ‘b.json’ was discarded. 2 refused files are left."), "\(done.text)")
        #expect(done.text.contains("Failed for ‘a.json’ and ‘c.json’: Another user dropped the file ‘a.json’."), "\(done.text)")
        #expect(done.text.contains("An administrator runs: homing discard --all-files --reason TEXT"), "\(done.text)")
        let left = try FileManager.default.contentsOfDirectory(atPath: refused).sorted()
        #expect(left == ["a.json", "a.json.reason", "c.json", "c.json.reason"])
        try await station.end(SIGTERM)
    }

    /// The next account does not get files that another person dropped.
    @Test func nextAccountGetsFilesOnlyByClaim() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        #expect(try await station.homing("logout", "--yes").code == 0)
        try drop(station, 1...2)
        // Signs in at once, possibly before the daemon has seen the files.
        try await station.login()
        #expect(try await station.status().spool?.unclaimed == 2)
        #expect(try await station.entries().isEmpty)
        #expect(try await station.homing("logout", "--yes").code == 0)
        let claimed = try await station.homing(
            "login", "--email", "manager@lab.test", "--password-stdin", "--claim", input: BreatheSafeConfiguration.labPassword)
        #expect(claimed.code == 0 && claimed.text.contains("Claimed 2 files for manager@lab.test."), "\(claimed.text)")
        try await station.event("delivered", count: 2)
        try await station.end(SIGTERM)
    }

    @Test func filesGoToNextAccountWithUnclaimedNext() async throws {
        let station = try await TestStation()
        try station.configure("spool: {unclaimed: next}\n")
        try await station.start()
        try drop(station, 1...2)
        try await until { try await station.status().spool?.waiting == 2 }
        try await station.login()
        try await station.event("delivered", count: 2)
        #expect(try await station.status().spool?.unclaimed == 0)
        try await station.end(SIGTERM)
    }

    @Test func loginDoesNotAskWithUnclaimedHold() async throws {
        let station = try await TestStation()
        try station.configure("spool: {unclaimed: hold}\n")
        try await station.start()
        try drop(station, 1...1)
        try await waitForUnclaimed(1, station)
        let login = try await station.homing(
            "login", "--email", "manager@lab.test", "--password-stdin", input: BreatheSafeConfiguration.labPassword)
        #expect(!login.text.contains("yours"), "\(login.text)")
        let status = try await station.homing("status")
        #expect(status.text.contains("To send it as manager@lab.test, an administrator runs: homing claim"), "\(status.text)")
        // The user that runs the daemon is an administrator.
        #expect(try await station.homing("claim", "--yes").code == 0)
        try await station.event("delivered")
        try await station.end(SIGTERM)
    }

    @Test func filesDroppedDuringExpiredSessionBelongToItsAccount() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        station.sandbox.expireSessions(rememberTokens: true)
        try await station.submit(id: 1)
        try await station.event("signInRequired")
        try drop(station, 2...2)
        try await station.event("captured", count: 2)
        #expect(try await station.status().spool?.unclaimed == 0)
        try await station.end(SIGTERM)
    }
}
