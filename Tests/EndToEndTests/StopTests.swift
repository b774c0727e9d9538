import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@Suite struct StopTests {
    enum Interruption: CaseIterable { case kill, stop, signOut }

    /// The server shows no effect yet, so a lookup that is too early would cause a second send.
    @Test(arguments: Interruption.allCases)
    func entryInProgressOnServerIsNotResent(after interruption: Interruption) async throws {
        let station = try await TestStation(delivery: "lookup_after: 600")
        try await station.start()
        try await station.login()
        // The request hangs until the fault is cleared.
        await station.sandbox.apply(.slowCommit(milliseconds: 600_000, path: "facial_measurements_from_arkit", count: 1))
        try await station.submit(id: 1)
        try await station.met(.slowCommit)
        switch interruption {
        case .kill:
            try await station.end(SIGKILL)
            try await station.start()
        case .stop:
            #expect(try await station.end(SIGTERM) == 0)
            try await station.start()
        case .signOut:
            #expect(try await station.homing("logout", "--yes").code == 0)
            try await station.login()
        }
        #expect(station.sandbox.ledger.entries.isEmpty, "the server was done before the interruption")
        station.sandbox.clearFaults()
        await station.sandbox.ledger.waits { !$0.entries.isEmpty }
        try await station.sync()
        #expect(try await station.event("delivered")?.detail["foundByLookup"] == "true")
        #expect(station.sandbox.ledger.entries.map(\.clientMutationID) == [Samples.id(1).description])
        #expect(station.sandbox.ledger.requestCount("POST", path: "facial_measurements_from_arkit") == 1)
        #expect(try await station.entry(1).attempts == 0)
        try await station.end(SIGTERM)
    }

    @Test func hangingSignInDoesNotDelayStop() async throws {
        let station = try await TestStation()
        try await station.start()
        await station.sandbox.apply(Fault(.neverAnswer, path: "users/log_in"))
        async let login = station.homing(
            "login", "--email", "manager@lab.test", "--password-stdin", input: BreatheSafeConfiguration.labPassword)
        try await station.met(.neverAnswer)
        let (code, took) = try await station.stop()
        #expect(code == 0)
        #expect(took < TestStation.hang)
        let answer = try await login
        #expect(answer.code != 0, "\(answer.text)")

        station.sandbox.clearFaults()
        try await station.start()
        #expect(try await station.status().backends[0].session.state == "signedOut")
        try await station.login()
        try await station.submit(id: 1)
        try await station.event("delivered")
        #expect(station.sandbox.ledger.entries.count == 1)
        try await station.end(SIGTERM)
    }

    /// Both steps of a renewal: the health check, and the sign-in with the remembered password.
    @Test(arguments: ["users/get_current_user", "users/log_in"])
    func hangingRenewalDoesNotDelayStopOrLoseEntries(at path: String) async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login(remember: true)
        station.sandbox.expireSessions(rememberTokens: true)
        await station.sandbox.apply(Fault(.neverAnswer, path: path))
        for number in 1...2 { try await station.submit(user: 4 + number, id: number) }
        try await station.met(.neverAnswer)
        let (code, took) = try await station.stop()
        #expect(code == 0)
        #expect(took < TestStation.hang)
        #expect(station.sandbox.ledger.entries.isEmpty)

        station.sandbox.clearFaults()
        try await station.start()
        // After a lost response, the daemon does not use the remembered password for five minutes.
        if path == "users/log_in" { try await station.login() }
        try await station.event("delivered", count: 2)
        #expect(station.sandbox.ledger.entries.count == 2)
        #expect(station.sandbox.ledger.duplicates.isEmpty)
        #expect(try await station.entries("delivered").allSatisfy { $0.attempts == 0 })
        try await station.end(SIGTERM)
    }

    @Test func stopDuringSweepLosesAndDuplicatesNoFile() async throws {
        let station = try await TestStation()
        let log = station.directory("homingd.log")
        try await station.start(logTo: log)
        try await station.login()
        let dropped = station.directory("state/spool/new/users")
        let folders = (5...8).map(String.init)
        func waiting() throws -> Int {
            try folders.map { try FileManager.default.contentsOfDirectory(atPath: "\(dropped)/\($0)").count }.reduce(0, +)
        }
        var total = 0
        var left = 0
        // On a slow machine the stop may come after the sweep; then try again.
        while left == 0, total < 2000 {
            if total > 0 { try await station.start(logTo: log) }
            let cursor = try await station.status().cursor
            try dropHundreds(in: folders, of: station, after: total)
            total += 400
            try await station.event("captured", since: cursor)
            let (code, took) = try await station.stop()
            let said = try String(contentsOfFile: log, encoding: .utf8)
            #expect(code == 0, "\(said)")
            #expect(took < TestStation.hang)
            left = try waiting()
        }
        #expect((1..<400).contains(left), "the stop did not come in the middle of the sweep")
        let everything = total

        try await station.start()
        try await station.event("delivered", count: everything)
        #expect(station.sandbox.ledger.entries.count == everything)
        #expect(station.sandbox.ledger.duplicates.isEmpty)
        #expect(try await station.status().backends[0].queue == QueueReport(delivered: everything))
        #expect(try waiting() == 0)
        for folder in ["taken", "refused"] {
            #expect(try FileManager.default.contentsOfDirectory(atPath: station.directory("state/spool/\(folder)")).isEmpty)
        }
        try await station.end(SIGTERM)
    }

    /// A busy machine can miss the time limit for a stop.
    @Test(arguments: [0, 20, 50, 70])
    func stopAfterItsTimeLimitExitsCleanly(milliseconds: Int) async throws {
        let station = try await TestStation()
        let log = station.directory("homingd.log")
        let process = try await station.start(logTo: log).processIdentifier
        try await station.login()
        let cursor = try await station.status().cursor
        try dropHundreds(in: (5...8).map(String.init), of: station, after: 0)
        try await station.event("captured", since: cursor)
        // The control server waits for this connection, so the other services still run.
        let socket = station.directory("homing.sock")
        let caller = try #require(TestStation.connect(socket))
        defer { close(caller) }
        kill(process, SIGTERM)
        try await until { !FileManager.default.fileExists(atPath: socket) }
        try await Task.sleep(for: .milliseconds(milliseconds))
        kill(process, SIGSTOP)
        try await Task.sleep(for: .milliseconds(4200))
        kill(process, SIGCONT)
        let code = try await station.end(SIGCONT)
        let said = try String(contentsOfFile: log, encoding: .utf8)
        #expect(code == 0, "\(said)")

        try await station.start()
        try await station.event("delivered", count: 400)
        #expect(station.sandbox.ledger.entries.count == 400)
        #expect(station.sandbox.ledger.duplicates.isEmpty)
        try await station.end(SIGTERM)
    }

    /// The folders are moved in, so that 400 files in four lanes appear at once.
    private func dropHundreds(in folders: [String], of station: TestStation, after first: Int) throws {
        let dropped = station.directory("state/spool/new/users")
        for (index, folder) in folders.enumerated() {
            let made = station.directory("made-\(first)-\(folder)")
            try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
            for number in 1...100 {
                let id = first + 100 * index + number
                try TestStation.measurement(id).write(to: URL(fileURLWithPath: "\(made)/\(id).json"))
            }
            if rmdir("\(dropped)/\(folder)") != 0, errno != ENOENT { throw StationError("the folder \(folder) is not empty") }
            try FileManager.default.moveItem(atPath: made, toPath: "\(dropped)/\(folder)")
        }
    }
}
