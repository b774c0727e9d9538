import ControlAPI
import Foundation
import GRDB
import HTTPTypes
import Sandbox
import StationSupport
import Synchronization
import TestSupport
import Testing

/// Sign-outs that the server does not hear at first.
@Suite struct OwedSignOutTests {
    private static let wal = "outbox.sqlite-wal"
    private static let told = "send:after:POST /api/mobile/auth/logout:1"

    /// The requests that arrived with credentials, in order.
    private final class Arrivals: Sendable {
        private let all = Mutex<[(path: String, authorization: String, body: String)]>([])
        let secrets = CanarySecrets()

        func answer(_ request: SandboxRequest, _ response: SandboxResponse) -> SandboxResponse {
            let body = String(decoding: request.body, as: UTF8.self)
            if let authorization = request.headers[.authorization] {
                all.withLock { $0.append((request.path, authorization, body)) }
            }
            return secrets.watch(request, response)
        }

        var latest: String? { all.withLock { $0.last?.authorization } }
        var calls: [(authorization: String, body: String)] {
            all.withLock { all in
                all.filter { $0.path.hasSuffix("/auth/logout") || $0.path.hasSuffix("/auth/sign_out") }
                    .map { ($0.authorization, $0.body) }
            }
        }
    }

    private func labLoop(_ arrivals: Arrivals = Arrivals()) async throws -> TestStation {
        try await TestStation(.labLoop(), profile: "labloop", route: "appointment", answering: arrivals.answer)
    }

    /// The stored credentials of owed sign-outs, as they are in the file.
    private func sealed(_ station: TestStation) throws -> [Data] {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: station.directory("state/outbox.sqlite"), configuration: configuration)
        return try queue.read { try Data.fetchAll($0, sql: "SELECT sealed FROM owedSignOut") }
    }

    private func isLeft(_ bytes: Data, of station: TestStation) throws -> Bool {
        let state = station.directory("state")
        return try FileManager.default.subpathsOfDirectory(atPath: state).contains { name in
            // `try?`: a folder, or a file that has just gone.
            let content = try? Data(contentsOf: URL(fileURLWithPath: "\(state)/\(name)"))
            return content.map { $0.holds(bytes) || $0.holds(bytes.suffix(64)) } ?? false
        }
    }

    @Test(arguments: ["labloop", "lists-2026"], [false, true])
    func serverThatComesBackHearsOfItOnceWithTheOldCredentials(name: String, isKilled: Bool) async throws {
        let arrivals = Arrivals()
        let station = name == "labloop" ? try await labLoop(arrivals) : try await TestStation.lists2026(answering: arrivals.answer)
        let log = station.directory("homingd.log")
        try await station.start(logTo: log)
        try await station.login()
        if name == "labloop" { try await station.appointment(1) } else { try await station.createList(1) }
        try await station.event("delivered")
        let old = try #require(arrivals.latest)

        await station.sandbox.down()
        let out = try await station.homing("logout", "--yes")
        #expect(out.code == 0 && out.text.contains("Homing keeps trying to tell the server of the sign-out, until "), "\(out.text)")
        let bytes = try sealed(station)
        try #require(bytes.count == 1)
        #expect(try isLeft(bytes[0], of: station), "the search would find it")
        let owed = try await station.status().backends[0].owedSignOuts ?? []
        let sentence = "\(name) has not yet heard of the sign-out of manager@lab.test; Homing tries until "
        #expect(owed.count == 1 && owed.allSatisfy { $0.sentence.hasPrefix(sentence) }, "\(owed)")
        let status = try await station.homing("status")
        #expect(status.text.contains("\(name) has not yet heard"), "\(status.text)")
        try await Canary.check(station, log, arrivals.secrets, "owed")

        if isKilled { try await station.end(SIGKILL) }
        try await station.sandbox.up()
        if isKilled { try await station.start(logTo: log) } else { try await station.sync() }
        #expect(try await station.event("signOutHeard")?.detail["email"] == "manager@lab.test")
        #expect(arrivals.calls.map { $0.authorization } == [old])
        #expect(try await station.status().backends[0].owedSignOuts == nil)
        #expect(try sealed(station).isEmpty)
        // The log is emptied right after the commit.
        try await until { try !isLeft(bytes[0], of: station) }
        try await Canary.check(station, log, arrivals.secrets, "heard")
        try await station.end(SIGTERM)
        #expect(try !isLeft(bytes[0], of: station))
        #expect(arrivals.calls.count == 1)
    }

    @Test func signInOfTheSameAccountIsNotEnded() async throws {
        let arrivals = Arrivals()
        let station = try await labLoop(arrivals)
        try await station.signedIn()
        await station.sandbox.apply(Fault(.internalError, path: "auth/logout"))
        #expect(try await station.client.call(Endpoints.signOut, SignOut()).owedUntil != nil)
        try await station.login()
        #expect(try await station.event("signOutGivenUp")?.detail["cause"] == "signedIn")
        station.sandbox.clearFaults()
        let calls = arrivals.calls.count
        try await station.sync()
        try await station.appointment(1)
        try await station.event("delivered")
        #expect(try await station.status().backends[0].session.state == "signedIn")
        #expect(try arrivals.calls.count == calls && sealed(station).isEmpty && station.sandbox.ledger.logInCount == 2)
        try await station.end(SIGTERM)
    }

    @Test func signOutOfAllDevicesIsRepeatedForThisDeviceAlone() async throws {
        let arrivals = Arrivals()
        let station = try await labLoop(arrivals)
        try await station.signedIn()
        await station.sandbox.apply(Fault(.internalError, path: "auth/logout", count: 1))
        let out = try await station.homing("logout", "--yes", "--all-devices")
        #expect(out.code == 1 && out.text.contains("Other devices stay signed in, because the server could not be reached."), "\(out.text)")
        try await station.sync()
        #expect(try await station.event("signOutHeard")?.detail["server"] == "ended")
        #expect(arrivals.calls.map { $0.body.contains("allDevices") } == [true, false])
        #expect(arrivals.calls.last?.body.contains("deviceId") == true)
        try await station.end(SIGTERM)
    }

    /// Killed in the sign-out, or in the first repetition of the call.
    @Test(
        arguments: [
            "send:before:POST /api/mobile/auth/logout:1", told, "\(told);receive:after:HTTP/1.1 200:1", "\(told);write:before:\(wal):1",
        ], [false, true])
    func killedSignOutIsHeard(place: String, isRepetition: Bool) async throws {
        let station = try await labLoop()
        try await station.signedIn()
        if isRepetition {
            await station.sandbox.apply(Fault(.internalError, path: "auth/logout", count: 1))
            #expect(try await station.client.call(Endpoints.signOut, SignOut()).server == "failed")
        }
        try await station.end(SIGKILL)
        // Otherwise the daemon may die before it is up: it repeats a call at once.
        await station.sandbox.down()
        try await station.dies(at: place) {
            try await station.sandbox.up()
        } during: {
            if isRepetition { try await station.sync() } else { _ = try await station.client.call(Endpoints.signOut, SignOut()) }
            // The answer to a sync does not wait for the call. Ends without the kill once the server has heard it, and `dies` then fails.
            while isRepetition, try await station.status().backends[0].owedSignOuts != nil {}
        }
        try await station.start()
        try await station.sync()
        #expect(try await station.event("signOutHeard") != nil)
        #expect(try await station.status().backends[0].session.state == "signedOut")
        #expect(try sealed(station).isEmpty)
        try await station.end(SIGTERM)
    }
}
