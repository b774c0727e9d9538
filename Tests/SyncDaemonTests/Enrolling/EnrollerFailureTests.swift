import ControlAPI
import Foundation
import Glibc
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct EnrollerFailureTests {
    private let station: FakeStation

    init() throws { station = try FakeStation() }

    private static func account(_ keys: String = "email: clinic@example.org, password: s3cret") -> String {
        "backends: {breathesafe: {\(keys)}}\n"
    }

    private static let offline = Problem(
        .backendUnreachable, status: 503, title: "The backend is unreachable", detail: "breathesafe cannot be reached.")

    private func message() async -> String {
        do throws(StartError) { return "no error: \(try await station.enroll())" } catch { return error.description }
    }

    private func expectNothingChanged() throws {
        #expect(try Array(station.files().keys) == ["homing.yaml"])
        #expect(station.read { $0.commands }.isEmpty && station.read { $0.requests }.isEmpty)
    }

    @Test(arguments: [
        ("backend: {}", "station.yaml:1: backend: expected one of backends, groups, settings, sign_in"),
        ("groups: {operators: [ann]}", "station.yaml:1: groups.operators: expected one of administer, observe, operate"),
        ("groups: {operate: [\"--help\"]}", "station.yaml:1: groups.operate.0: expected the name of a user"),
        ("# one\ngroups:\n  operate: [eve]", "station.yaml:3: groups.operate: expected a user of this system"),
        ("backends: {breathesafe: {base_url: \"ftp://a.test\"}}", "station.yaml:1: backends.breathesafe.base_url: expected https://"),
        ("backends: {breathesafe: {base_url: \"https://a.test/\\nauth: {}\"}}", "backends.breathesafe.base_url: expected https://"),
        ("backends: {breathesafe: {email: a@b.test}}", "expected an email, and either password or password_file, found email"),
        ("backends: {breathesafe: {password: secret}}", "expected an email, and either password or password_file, found password"),
        ("backends: {breathesafe: {email: a@b.test, password: 5}}", "backends.breathesafe.password: expected text"),
        ("backends: {breathesafe: {email: a@b.test, password_file: p}}", "expected the path of a file, beginning with /"),
        ("backends: {no_such_backend: {}}", "station.yaml:1: backends.no_such_backend: expected a backend whose profile is"),
        ("backends: {\"../x\": {}}", "expected a name of lowercase letters"),
        ("sign_in: maybe", "station.yaml:1: sign_in: expected one of now, later"),
        ("settings:\n  delivery:\n    attempts: 9", "station.yaml:3: delivery.attempts: expected a whole number from 1 to 3, found 9"),
        ("settings: {delivry: {}}", "station.yaml:1: delivry: expected one of"),
        ("settings: &s {delivery: {}}", "station.yaml:1: expected the value itself, found an anchor"),
        ("settings: {spool: {route: nothing}}", "station.yaml:1: spool.route: expected a route of breathesafe"),
        ("groups: {operate: [ann]}\ngroups: {operate: [ann]}", "a duplicate key"),
        ("", "expected"),
    ])
    func mistakeIsNamedBeforeAnythingIsChanged(text: String, words: String) async throws {
        // Without another mistake, the station needs a backend.
        try station.write(text.hasPrefix("settings: {spool") ? Self.account("") + text : text)
        let error = await message()
        #expect(error.contains(words) || error.contains(words.replacing("station.yaml:1", with: "station.yaml:2")), "\(error)")
        #expect(error.hasSuffix("Nothing was changed."), "\(error)")
        #expect(!error.contains("s3cret"))
        try expectNothingChanged()
    }

    @Test func refusesFileWithPasswordThatOthersCanRead() async throws {
        try station.write(Self.account())
        chmod(station.directory("station.yaml"), 0o644)
        let error = await message()
        #expect(error.contains("run: chmod 600 \(station.directory("station.yaml")), found mode 644"), "\(error)")
        try expectNothingChanged()
    }

    @Test func refusesFileThatOthersCanChange() async throws {
        try station.write(Self.account(""))
        chmod(station.directory("station.yaml"), 0o664)
        #expect(await message().contains("expected a file that only its owner can change; run: chmod 600"))
        try expectNothingChanged()
        chmod(station.directory("station.yaml"), 0o644)
        #expect(try await station.enroll().count == 3)
    }

    @Test func refusesPipeAndLargeFile() async throws {
        #expect(mkfifo(station.directory("station.yaml"), 0o600) == 0)
        #expect(await message().contains("expected a regular file of UTF-8 text, at most 1 MiB"))
        unlink(station.directory("station.yaml"))
        try station.write(String(repeating: "#", count: 2 << 20))
        #expect(await message().contains("expected a regular file of UTF-8 text, at most 1 MiB"))
        try expectNothingChanged()
    }

    @Test func failedStepNamesTheStepsBeforeIt() async throws {
        try station.write(Self.account() + "groups: {operate: [ann]}\n")
        station.change { $0.failing = "usermod staff ann" }
        let error = await message()
        let words = "Expected this command to succeed: /usr/sbin/usermod --append --groups staff ann\nIt ended with 1."
        #expect(error.contains(words), "\(error)")
        #expect(error.contains("\nAlready done: wrote "), "\(error)")
        #expect(error.hasSuffix("; enabled homingd.service; started homingd.service."), "\(error)")
        #expect(FileManager.default.fileExists(atPath: station.directory("station.yaml")))
        station.change { $0.failing = nil }
        #expect(try await station.enroll().first == "changed: added ann to staff; ann must log in to the system again")
    }

    @Test func offlineSignInIsAnErrorThatARepetitionMends() async throws {
        try station.write(Self.account())
        station.change { $0.problem = Self.offline }
        let error = await message()
        let words = "Expected to sign in clinic@example.org at breathesafe. breathesafe cannot be reached. Run the command again"
        #expect(error.contains(words) && error.contains("Already done: wrote "), "\(error)")
        #expect(FileManager.default.fileExists(atPath: station.directory("station.yaml")))
        station.change { $0.problem = nil }
        let name = station.directory("station.yaml")
        #expect(
            try await station.enroll() == [
                "changed: signed in clinic@example.org at breathesafe", "changed: deleted \(name), which has a password",
            ])
    }

    @Test func offlineSignInCanWait() async throws {
        try station.write(Self.account() + "sign_in: later\n")
        station.change { $0.problem = Self.offline }
        let later = "later: sign in clinic@example.org at breathesafe. Run the command again when the network is available."
        #expect(try await station.enroll().last == later)
        #expect(FileManager.default.fileExists(atPath: station.directory("station.yaml")))
        #expect(try await station.enroll() == [later])
        station.change { $0.problem = Problem(.signInRefused, status: 401, title: "Refused", detail: "The password is wrong.") }
        #expect(await message().hasPrefix("The password is wrong.\nNothing was changed."))
    }

    @Test func anotherSignedInAccountIsLeftAlone() async throws {
        try station.write(Self.account())
        station.change {
            $0.sessions["breathesafe"] = SessionReport(backend: "breathesafe", state: "signedIn", account: "7", email: "eve@example.org")
        }
        let error = await message()
        let words = "Expected clinic@example.org at breathesafe, where eve@example.org is signed in. To sign out, run: homing logout"
        #expect(error.hasPrefix(words), "\(error)")
        #expect(station.read { $0.requests }.isEmpty)
    }

    /// Only the link would be deleted.
    @Test func linkToThePasswordIsAMistake() async throws {
        let path = station.directory("password")
        try station.write(Self.account("email: clinic@example.org, password_file: \"\(path)\""))
        try station.write("s3cret", to: "secret")
        #expect(symlink(station.directory("secret"), path) == 0)
        let error = await message()
        #expect(error.contains("\(path): expected the file itself, because it is deleted after the sign-in"), "\(error)")
        try expectNothingChanged()
    }

    @Test func linkToAFileWithAPasswordIsAMistake() async throws {
        try station.write(Self.account(), to: "other.yaml")
        #expect(symlink(station.directory("other.yaml"), station.directory("station.yaml")) == 0)
        #expect(await message().contains("station.yaml: expected the file itself"))
        try station.write(Self.account(""), to: "other.yaml")
        #expect(try await station.enroll().count == 3)
    }

    @Test(.enabled(if: geteuid() == 0, "takes root: it changes the owner")) func filesOfAnotherUserAreMistakes() async throws {
        let (file, password) = (station.directory("station.yaml"), station.directory("password"))
        try station.write(Self.account("email: clinic@example.org, password_file: \"\(password)\""))
        try station.write("s3cret", to: "password")
        #expect(chown(file, 61_001, 61_001) == 0)
        let error = await message()
        #expect(error.contains("run: chown root \(file), found a file of the user with the number 61001"), "\(error)")
        try expectNothingChanged()
        #expect(chown(file, 0, 0) == 0 && chown(password, 61_001, 61_001) == 0)
        #expect(await message().contains("Expected a password file that belongs to root. Run: chown root \(password)"))
        #expect(station.read { $0.requests }.isEmpty)
    }

    @Test(
        .enabled(if: geteuid() == 0, "takes root: it changes the owner"),
        arguments: ["etc/homing.yaml", "etc/backends/breathesafe.yaml"])
    func configurationOfAnotherUserIsAMistake(name: String) async throws {
        let path = station.directory(name)
        try station.write(Self.account(""))
        #expect(try await station.enroll().count == 3)
        #expect(chown(path, 61_001, 61_001) == 0)
        let owned = await message()
        #expect(owned.contains("\(path): expected a file that belongs to root"), "\(owned)")
        #expect(owned.contains("run: chown root \(path), found a file of the user with the number 61001"), "\(owned)")
        #expect(owned.hasSuffix("\nNothing was changed."), "\(owned)")
        #expect(chown(path, 0, 0) == 0)
        #expect(try await station.enroll() == ["nothing to change"])
    }

    @Test func passwordFileIsReadOnceAndDeleted() async throws {
        let path = station.directory("password")
        try station.write(Self.account("email: clinic@example.org, password_file: \"\(path)\""))
        try station.write("geheim ü\r\n", to: "password")
        #expect(try await station.enroll().last == "changed: deleted \(path), which has a password")
        #expect(station.read { $0.requests.map(\.password) } == ["geheim ü"])
        #expect(FileManager.default.fileExists(atPath: station.directory("station.yaml")))
        #expect(try await station.enroll() == ["nothing to change"])
    }

    @Test(arguments: [("", "Expected a password"), ("\n", "Expected a password"), ("s3cret", "chmod 600")])
    func passwordFileMustHaveAPasswordAndOneReader(text: String, words: String) async throws {
        let path = station.directory("password")
        try station.write(Self.account("email: clinic@example.org, password_file: \"\(path)\""))
        try station.write(text, to: "password")
        if text == "s3cret" { chmod(path, 0o644) }
        let error = await message()
        #expect(error.contains(words) && error.hasSuffix("\nNothing was changed.") && !error.contains("s3cret"), "\(error)")
        #expect(FileManager.default.fileExists(atPath: path))
        try expectNothingChanged()
    }

    @Test func missingPasswordIsFoundBeforeTheFirstChange() async throws {
        let path = station.directory("password")
        try station.write(Self.account("email: clinic@example.org, password_file: \"\(path)\""))
        let error = await message()
        let words = "Expected a file with the password, of at most 4096 bytes, and no link: \(path)\nNothing was changed."
        #expect(error == words)
        try expectNothingChanged()
    }

    @Test func anotherSignedInAccountIsFoundBeforeTheFirstChange() async throws {
        try station.write(Self.account() + "groups: {operate: [ann]}\n")
        station.change {
            ($0.isEnabled, $0.isActive) = (true, true)
            $0.known = ["breathesafe": "https://www.breathesafe.xyz"]
            $0.sessions["breathesafe"] = SessionReport(backend: "breathesafe", state: "signedIn", account: "7", email: "eve@example.org")
        }
        let error = await message()
        #expect(error.contains("where eve@example.org is signed in") && error.hasSuffix("\nNothing was changed."), "\(error)")
        try expectNothingChanged()
    }
}
