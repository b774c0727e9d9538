import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

/// A password, a refresh token and every token and cookie that came of them: in no file, no log, no command line, no environment, no event
/// and no report, ever.
@Suite(.timeLimit(.minutes(5))) struct CanaryTests {
    private static let email = "manager@lab.test"
    private static let password = "Canary-password-7f3a"
    private static let refreshToken = "canary-refresh-token-91c4"
    /// How every JWT of the sandbox begins: `{"alg":"` in base64url.
    private static let jwt = "eyJhbGciOi"

    /// What must not be told: what people type, and what the backend has given out until now.
    private final class Secrets: Sendable {
        private let known = Mutex<Set<String>>([CanaryTests.password, CanaryTests.refreshToken, CanaryTests.jwt])
        var all: Set<String> { known.withLock { $0 } }
        func note(_ secrets: [String]) { known.withLock { $0.formUnion(secrets) } }

        /// To be given to a sandbox.
        var watch: @Sendable (SandboxRequest, SandboxResponse) -> SandboxResponse {
            { _, response in
                self.note(response.secrets)
                return response
            }
        }
    }

    @Test("24: Story16: no secret is left anywhere, not in a freed page and not in the log") func story16() async throws {
        let secrets = Secrets()
        let accounts = [SandboxAccount(id: "homingLabManager000000000001", number: 1, email: Self.email, password: Self.password)]
        let station = try await TestStation(
            .story16(FirebaseConfiguration(accounts: accounts, renewal: .new, refreshTokens: [Self.refreshToken: Self.email])),
            profile: "story16", route: "message", answering: secrets.watch)
        try await rounds(
            station, secrets, failing: Fault(.internalError, path: "messages", count: 1),
            again: (["--refresh-token-stdin", "--email", Self.email], Self.refreshToken)
        ) { try await station.putMessage($0) }
    }

    @Test("24: LabLoop: no token that turned over is left anywhere") func labLoop() async throws {
        let secrets = Secrets()
        let accounts = [SandboxAccount(id: "66f0a1b2c3d4e5f600000001", number: 1, email: Self.email, password: Self.password)]
        let station = try await TestStation(
            .labLoop(LabLoopConfiguration(accounts: accounts)), profile: "labloop", route: "appointment", answering: secrets.watch)
        // What may have arrived is not sent twice there, so it fails in a way that says that nothing did.
        try await rounds(station, secrets, failing: .tooManyRequests(retryAfter: 1, path: "appointments", count: 1)) {
            try await station.appointment($0)
        }
    }

    @Test("24: Lists: no token of a family is left anywhere") func lists() async throws {
        let secrets = Secrets()
        let accounts = [SandboxAccount(id: "1", number: 1, email: Self.email, password: Self.password)]
        let station = try await TestStation.lists2026(accounts: accounts, answering: secrets.watch)
        try await rounds(station, secrets, failing: Fault(.internalError, path: "api/v1/lists", count: 1)) {
            try await station.createList($0)
        }
    }

    @Test("24: BreatheSafe: no cookie, no CSRF token and no kept password is left anywhere") func breatheSafe() async throws {
        let secrets = Secrets()
        let station = try await TestStation(
            .breatheSafe(BreatheSafeConfiguration(password: Self.password)), profile: "breathesafe", route: "measurement",
            answering: secrets.watch)
        let remembered = ["--email", Self.email, "--password-stdin", "--remember"]
        let failing = Fault(.internalError, path: "facial_measurements", count: 1)
        try await rounds(station, secrets, failing: failing, first: remembered, again: (remembered, Self.password)) {
            try await station.submit(id: $0)
        }
    }

    // MARK: What happens

    /// A refusal, a sign-in, a renewal, a failure and a delivery, a sign-out; then all of it again, and the end.
    private func rounds(
        _ station: TestStation, _ secrets: Secrets, failing fault: Fault,
        first: [String] = ["--email", email, "--password-stdin"],
        again: (arguments: [String], input: String) = (["--email", email, "--password-stdin"], password),
        capture: (Int) async throws -> Void
    ) async throws {
        let log = station.directory("homingd.log")
        try await station.start(logTo: log)
        #expect(try await station.homing(["login"] + first, input: Self.password + "x").code != 0)
        for (round, way) in [(1, (arguments: first, input: Self.password)), (2, again)] {
            let before = secrets.all.count
            let signedIn = try await station.homing(["login"] + way.arguments, input: way.input)
            #expect(signedIn.code == 0, "\(signedIn.text)")
            station.sandbox.expireSessions(rememberTokens: first.contains("--remember"))
            await station.sandbox.apply(fault)
            try await capture(round)
            try await station.event("delivered", count: round)
            #expect(secrets.all.count >= before + 2, "a sign-in and a renewal give out something")
            try await check(station, log, secrets, "signed in, round \(round)")
            #expect(try await station.homing("logout", "--yes").code == 0)
            try await check(station, log, secrets, "signed out, round \(round)")
        }
        try await theSearchFinds(station, log)
        try await station.end(SIGKILL)
        try await check(station, log, secrets, "killed", isRunning: false)
    }

    private func check(_ station: TestStation, _ log: String, _ secrets: Secrets, _ when: String, isRunning: Bool = true) async throws {
        let places = try await places(station, log, isRunning: isRunning)
        for kind in Kind.allCases where isRunning || !kind.needsADaemon {
            #expect(places.contains { $0.kind == kind && !$0.content.isEmpty }, "\(when): nothing was searched as \(kind)")
        }
        #expect(Self.leaks(in: places, of: secrets.all) == [], "\(when)")
    }

    /// The negative control: of one secret planted in each kind of place, the same search finds every one.
    private func theSearchFinds(_ station: TestStation, _ log: String) async throws {
        func planted(_ kind: Kind) -> String { "planted-secret-\(kind)" }
        let file = station.directory("state/outbox.sqlite-wal2")
        try Data("x\(planted(.stateFile))y".utf8).write(to: URL(fileURLWithPath: file))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "read line; exit 0", planted(.commandLine)]
        process.environment = ["PLANTED": planted(.environment)]
        let input = Pipe()
        process.standardInput = input
        try process.run()
        // A pause's reason is told in the events and in the status, as whoever gives it expects.
        #expect(try await station.homing("pause", "--reason", "\(planted(.events)) \(planted(.reports))").code == 0)
        // Last, since the daemon's next line is written over it.
        let journal = try #require(FileHandle(forWritingAtPath: log))
        try journal.seekToEnd()
        try journal.write(contentsOf: Data("x\(planted(.log))y\n".utf8))
        let secrets = Set(Kind.allCases.map(planted))
        let found = Self.leaks(in: try await places(station, log, isRunning: true), of: secrets)
        for kind in Kind.allCases {
            #expect(found.contains { $0.kind == kind && $0.secret == planted(kind) }, "a secret in the \(kind) is not found")
        }
        #expect(try await station.homing("resume").code == 0)
        try input.fileHandleForWriting.close()
        try FileManager.default.removeItem(atPath: file)
    }

    // MARK: The search

    private enum Kind: CaseIterable {
        case stateFile, log, commandLine, environment, events, reports
        var needsADaemon: Bool { self == .events || self == .reports }
    }

    private struct Place {
        let kind: Kind
        let name: String
        let content: Data
    }

    private struct Leak: Equatable {
        let kind: Kind
        let name: String
        let secret: String
    }

    private func places(_ station: TestStation, _ log: String, isRunning: Bool) async throws -> [Place] {
        var places: [Place] = []
        func add(_ kind: Kind, _ name: String, _ path: String) {
            // `try?`: a folder, a socket, or a process that has ended.
            guard let content = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return }
            places.append(Place(kind: kind, name: name, content: content))
        }
        let state = station.directory("state")
        for name in try FileManager.default.subpathsOfDirectory(atPath: state) { add(.stateFile, name, "\(state)/\(name)") }
        add(.log, "log", log)
        let me = String(ProcessInfo.processInfo.processIdentifier)
        for process in try FileManager.default.contentsOfDirectory(atPath: "/proc") where Int(process) != nil && process != me {
            add(.commandLine, process, "/proc/\(process)/cmdline")
            add(.environment, process, "/proc/\(process)/environ")
        }
        guard isRunning else { return places }
        let commands: [(Kind, [String])] = [
            (.events, ["events", "--since", "0", "--json"]), (.events, ["events", "--since", "0"]), (.reports, ["status"]),
            (.reports, ["status", "--json"]), (.reports, ["list", "--json"]), (.reports, ["receipts", "--json"]),
        ]
        for (kind, command) in commands {
            let text = try await station.homing(command).text
            places.append(Place(kind: kind, name: command.joined(separator: " "), content: Data(text.utf8)))
        }
        return places
    }

    /// Which places hold which secret, byte for byte. Other programs of the machine may have tokens of their own, so a token's beginning alone
    /// says nothing there.
    private static func leaks(in places: [Place], of secrets: Set<String>) -> [Leak] {
        places.flatMap { place in
            secrets.sorted().compactMap { secret in
                if secret == jwt, place.kind == .commandLine || place.kind == .environment { return nil }
                guard place.content.range(of: Data(secret.utf8)) != nil else { return nil }
                return Leak(kind: place.kind, name: place.name, secret: secret)
            }
        }
    }
}
