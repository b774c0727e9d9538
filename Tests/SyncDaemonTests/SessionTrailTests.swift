import ControlAPI
import ControlServer
import Foundation
import Logging
import Sandbox
import Synchronization
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct SessionTrailTests {
    /// A caller with the operator role only.
    private static let clerk = Caller(Peer(pid: 7, uid: 54321, groups: []), .operate)
    private static let administrator = Caller(Peer(pid: 8, uid: geteuid(), groups: []), .administer)

    private final class Lines: LogHandler, Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func all(_ message: String) -> [String] { all.filter { $0.hasPrefix(message) } }

        func log(event: LogEvent) {
            let facts = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            lines.withLock { $0.append(([event.message.description] + facts).joined(separator: " ")) }
        }

        subscript(metadataKey _: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        var logLevel: Logger.Level {
            get { .info }
            set {}
        }
    }

    private let lines = Lines()

    private func running(_ station: DaemonStation, _ work: (ControlHandler) async throws -> Void) async throws {
        let lines = lines
        let daemon = try await Daemon(
            configuration: station.configuration, environment: [:], log: Logger(label: "test") { _ in lines })
        try await DaemonStation.running(daemon) { try await work(daemon.handler) }
    }

    private func configureOutboxDrop(_ station: DaemonStation) throws {
        let path = station.directory("backends/breathesafe.yaml")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains("on_failure: clear}"))
        let changed = text.replacing("on_failure: clear}", with: "on_failure: clear, outbox: drop}")
        try station.directory.write(changed, to: "backends/breathesafe.yaml")
    }

    private func event(_ station: DaemonStation, _ kind: String) async throws -> Event? { try await station.event { $0.kind == kind } }

    @Test func recordsRequesterAndAccountOfSignInsAndSignOuts() async throws {
        try await DaemonStation.with { station in
            try await running(station) { daemon in
                let wrong = SignIn(email: "manager@lab.test\nforged", password: "top-secret")
                await #expect(throws: Problem.self) { try await daemon.signIn(wrong, by: Self.clerk) }
                let report = try await daemon.signIn(DaemonStation.manager, by: Self.clerk)
                _ = try await daemon.signOut(SignOut(), by: Self.administrator)
                let account = try #require(report.account)
                let refused = try await event(station, "signInRefused")
                #expect(refused?.detail["by"] == "uid 54321, pid 7")
                #expect(refused?.detail["as"] == "manager@lab.testforged")
                #expect(try await event(station, "signedIn")?.account == account)
                #expect(try await event(station, "signedIn")?.detail["email"] == "manager@lab.test")
                let out = try await event(station, "signedOut")
                #expect(out?.account == account)
                #expect(out?.detail["email"] == "manager@lab.test")
                #expect(out?.detail["by"] == "uid \(geteuid()), pid 8")
                #expect(
                    lines.all("A sign-in was refused") == [
                        "A sign-in was refused as=manager@lab.testforged backend=breathesafe pid=7 uid=54321"
                    ])
                #expect(lines.all("Signed in") == ["Signed in account=\(account) backend=breathesafe pid=7 uid=54321"])
                let signedOutLine = "Signed out account=\(account) backend=breathesafe pid=8 server=ended uid=\(geteuid())"
                #expect(lines.all("Signed out") == [signedOutLine])
                #expect(!lines.all.contains { $0.contains("top-secret") || $0.contains(BreatheSafeConfiguration.labPassword) })
            }
        }
    }

    @Test func recordsNoPasswordTypedAsTheAddress() async throws {
        try await DaemonStation.with { station in
            try await running(station) { daemon in
                let swapped = SignIn(email: "top-secret", password: "manager@lab.test")
                await #expect(throws: Problem.self) { try await daemon.signIn(swapped, by: Self.clerk) }
                let refused = try #require(try await event(station, "signInRefused"))
                #expect(refused.detail == ["by": "uid 54321, pid 7"])
                #expect(lines.all("A sign-in was refused") == ["A sign-in was refused backend=breathesafe pid=7 uid=54321"])
                #expect(!lines.all.contains { $0.contains("top-secret") || $0.contains("manager@lab.test") })
            }
        }
    }

    /// The backend was not asked.
    @Test func recordsSignInsAndSignOutsThatHomingRefuses() async throws {
        try await DaemonStation.with { station in
            try await running(station) { daemon in
                let account = try #require(try await daemon.signIn(DaemonStation.manager, by: Self.clerk).account)
                let other = SignIn(email: "user5@lab.test", password: "x")
                await #expect(throws: Problem.self) { try await daemon.signIn(other, by: Self.clerk) }
                await #expect(throws: Problem.self) { try await daemon.signOut(SignOut(allDevices: true), by: Self.clerk) }
                let refused = try #require(try await event(station, "signInFailed"))
                #expect(refused.detail["by"] == "uid 54321, pid 7" && refused.detail["as"] == "user5@lab.test")
                #expect(refused.detail["reason"] == "manager@lab.test is signed in")
                let stayed = try #require(try await event(station, "signOutFailed"))
                #expect(stayed.account == account && stayed.detail["email"] == "manager@lab.test")
                #expect(stayed.detail["by"] == "uid 54321, pid 7")
                #expect(stayed.detail["reason"] == "the backend cannot end the sessions of all devices")
                #expect(lines.all("A sign-in failed").first?.contains("as=user5@lab.test backend=breathesafe pid=7 reason=") == true)
                #expect(
                    lines.all("A sign-out failed") == [
                        "A sign-out failed account=\(account) backend=breathesafe pid=7 reason=\(stayed.detail["reason"] ?? "") uid=54321"
                    ])
            }
        }
    }

    @Test func recordsKeptPasswordSignInAsDaemon() async throws {
        try await DaemonStation.with { station in
            try await running(station) { daemon in
                var manager = DaemonStation.manager
                manager.remember = true
                let account = try #require(try await daemon.signIn(manager, by: Self.clerk).account)
                station.sandbox.expireSessions(rememberTokens: true)
                try await station.submit()
                let own = try #require(try await station.event { $0.kind == "signedIn" && $0.detail["way"] == "kept password" })
                #expect(own.account == account && own.detail["email"] == "manager@lab.test")
                #expect(own.detail["by"] == "uid \(geteuid()), pid \(getpid())")
                #expect(
                    lines.all("Signed in with the kept password") == [
                        "Signed in with the kept password account=\(account) backend=breathesafe pid=\(getpid()) uid=\(geteuid())"
                    ])
            }
        }
    }

    @Test func namesTheAccountThatMustSignInAgain() async throws {
        try await DaemonStation.with { station in
            try await running(station) { daemon in
                let account = try #require(try await daemon.signIn(DaemonStation.manager, by: Self.clerk).account)
                station.sandbox.expireSessions(rememberTokens: true)
                try await station.submit()
                let told = try #require(try await event(station, "signInRequired"))
                #expect(told.account == account && told.detail["email"] == "manager@lab.test")
                #expect(
                    lines.all("A person must sign in again") == [
                        "A person must sign in again account=\(account) backend=breathesafe email=manager@lab.test reason=\(told.detail["reason"] ?? "")"
                    ])
            }
        }
    }

    @Test func recordsEveryRefusal() async throws {
        try await DaemonStation.with { station in
            try await running(station) { daemon in
                for number in 1...15 {
                    await #expect(throws: Problem.self) {
                        try await station.client.call(Endpoints.signIn, SignIn(email: "nobody\(number)@lab.test", password: "x"))
                    }
                }
                #expect(lines.all("A sign-in was refused").count == 15)
                let count = Mutex(0)
                try await station.client.events(EventQuery(since: 0)) { event in
                    if event.kind == "signInRefused" { count.withLock { $0 += 1 } }
                    return true
                }
                #expect(count.withLock { $0 } == 15)
            }
        }
    }

    @Test func signOutWithoutDiscardRightKeepsEntries() async throws {
        try await DaemonStation.with { station in
            try configureOutboxDrop(station)
            try await running(station) { daemon in
                _ = try await daemon.signIn(DaemonStation.manager, by: Self.clerk)
                await station.sandbox.down()
                try await station.submit()
                #expect(try await daemon.status(NoInput(), by: Self.clerk).backends[0].discardedBySigningOut == nil)
                #expect(try await daemon.status(NoInput(), by: Self.administrator).backends[0].discardedBySigningOut == 1)
                let report = try await daemon.signOut(SignOut(), by: Self.clerk)
                #expect(report.local == "cleared")
                #expect(report.discarded == nil)
                #expect(report.waiting == 1)
                #expect(try await station.client.call(Endpoints.entries, EntryQuery()).entries.map(\.state) == ["pending"])
            }
        }
    }

    @Test func signOutByAdministratorDiscardsAndReportsEntries() async throws {
        try await DaemonStation.with { station in
            try configureOutboxDrop(station)
            try await running(station) { daemon in
                _ = try await daemon.signIn(DaemonStation.manager, by: Self.clerk)
                await station.sandbox.down()
                try await station.submit()
                let report = try await daemon.signOut(SignOut(), by: Self.administrator)
                #expect(report.discarded == 1)
                #expect(report.waiting == 0)
                #expect(try await event(station, "discarded")?.detail["by"] == "uid \(geteuid()), pid 8")
            }
        }
    }

    /// For example, `base_url` points to another server.
    @Test func recordsAFailedSignIn() async throws {
        try await DaemonStation.with { station in
            let path = station.directory("backends/breathesafe.yaml")
            let text = try String(contentsOfFile: path, encoding: .utf8)
            try station.directory.write(text.replacing("POST /users/log_in", with: "POST /wrong/log_in"), to: "backends/breathesafe.yaml")
            try await running(station) { daemon in
                await #expect(throws: Problem.self) { try await daemon.signIn(DaemonStation.manager, by: Self.clerk) }
                let failed = try #require(try await event(station, "signInFailed"))
                #expect(failed.backend == "breathesafe")
                #expect(failed.detail["by"] == "uid 54321, pid 7" && failed.detail["as"] == "manager@lab.test")
                #expect(failed.detail["reason"]?.contains("404") == true, "\(failed.detail)")
                let line = try #require(lines.all("A sign-in failed").first)
                #expect(line.contains("as=manager@lab.test backend=breathesafe pid=7 reason=") && line.contains("404"))
                #expect(!lines.all.contains { $0.contains(BreatheSafeConfiguration.labPassword) })
            }
        }
    }
}
