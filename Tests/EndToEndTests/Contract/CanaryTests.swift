import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// A password, a refresh token and every token that came of them: in no file, no log, no command line, no event and no report, ever.
@Suite(.timeLimit(.minutes(2))) struct CanaryTests {
    private static let password = "Canary-password-7f3a"
    private static let refreshToken = "canary-refresh-token-91c4"
    /// How every JWT of the sandbox begins: `{"alg":"` in base64url.
    private static let jwt = "eyJhbGciOi"

    @Test("24: no secret is left anywhere, not in a freed page and not in the log") func nothingIsLeft() async throws {
        let account = SandboxAccount(id: "homingLabManager000000000001", number: 1, email: "manager@lab.test", password: Self.password)
        let station = try await TestStation.story16(
            FirebaseConfiguration(accounts: [account], refreshTokens: [Self.refreshToken: "manager@lab.test"]))
        let log = station.directory("homingd.log")
        try await station.start(logTo: log)
        // A refusal, a sign-in by password, a refresh, a failure, a sign-out; then a sign-in by refresh token, and the same.
        _ = try await station.homing("login", "--email", "manager@lab.test", "--password-stdin", input: Self.password + "x")
        let signedIn = try await station.homing("login", "--email", "manager@lab.test", "--password-stdin", input: Self.password)
        #expect(signedIn.code == 0, "\(signedIn.text)")
        try await round(station, 1)
        #expect(try await station.homing("logout", "--yes").code == 0)
        let imported = try await station.homing("login", "--refresh-token-stdin", "--email", "manager@lab.test", input: Self.refreshToken)
        #expect(imported.code == 0, "\(imported.text)")
        try await round(station, 2)
        try await check(station, log, "signed in")
        #expect(try await station.homing("logout", "--yes").code == 0)
        try await check(station, log, "signed out")
        try await station.end(SIGKILL)
        try await check(station, log, "killed", isRunning: false)

        // The same search finds what is there.
        try Data("x\(Self.refreshToken)y".utf8).write(to: URL(fileURLWithPath: station.directory("state/outbox.sqlite-wal2")))
        #expect(try Self.finds(in: station.directory("state")) == ["outbox.sqlite-wal2: \(Self.refreshToken)"])
    }

    /// A renewal, and a delivery that fails before it succeeds.
    private func round(_ station: TestStation, _ number: Int) async throws {
        station.sandbox.expireSessions(rememberTokens: false)
        await station.sandbox.apply(Fault(.internalError, path: "messages", count: 1))
        try await station.putMessage(number)
        try await station.event("delivered", count: number)
        #expect(station.sandbox.ledger.requestCount("POST", path: "/v1/token", status: 200) >= number)
    }

    private func check(_ station: TestStation, _ log: String, _ when: String, isRunning: Bool = true) async throws {
        #expect(try Self.finds(in: station.directory("state")) == [], "\(when)")
        var texts = ["log": try String(contentsOfFile: log, encoding: .utf8)]
        #expect(texts["log"]?.isEmpty == false)
        if isRunning {
            for command in [
                ["events", "--since", "0", "--json"], ["status"], ["status", "--json"], ["list", "--json"], ["receipts", "--json"],
            ] {
                texts[command.joined(separator: " ")] = try await station.homing(command).text
            }
        }
        let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
        for process in processes where process != String(ProcessInfo.processInfo.processIdentifier) {
            // `try?`: it may have ended.
            texts["process \(process)"] = try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
        }
        for (name, text) in texts {
            for secret in [Self.password, Self.refreshToken] { #expect(!text.contains(secret), "\(when): \(name)") }
            if !name.hasPrefix("process") { #expect(!text.contains(Self.jwt), "\(when): \(name)") }
        }
    }

    /// Which files hold which secret, byte for byte.
    private static func finds(in folder: String) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
        return names.sorted().flatMap { name -> [String] in
            guard let data = try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")) else { return [] }  // a folder or a socket
            return [password, refreshToken, jwt].filter { data.firstRange(of: Data($0.utf8)) != nil }.map { "\(name): \($0)" }
        }
    }
}
