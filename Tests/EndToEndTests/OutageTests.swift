import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncDaemon
import SyncModel
import TestSupport
import Testing

@Suite struct OutageTests {
    /// - Parameter fault: of the first two sends after the outage.
    @Test(
        arguments: [
            nil, FaultName.unavailable, .internalError, .internalErrorAfterCommit, .cut, .commitThenCut, .loginPage, .tooManyRequests,
        ])
    func offlineEntriesAreDeliveredInOrderOnceOnline(fault: FaultName?) async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.down()
        for number in 1...6 { try await station.submit(user: 5 + number % 2, id: number) }
        try await station.event("gateChanged") { $0.detail["gate"] == "cooling" }
        #expect(try await station.homing("status").code == 0)

        if let fault { await station.sandbox.apply(Fault(fault, path: "facial_measurements_from_arkit", count: 2)) }
        try await station.sandbox.up()
        let sync = try await station.homing("sync", "--wait", "--timeout", "600")
        #expect(sync.code == 0, "\(sync.text)")
        for user in 5...6 {
            let arrived = station.sandbox.ledger.entries.filter { $0.user == user }.compactMap(\.clientMutationID)
            #expect(arrived == (1...6).filter { 5 + $0 % 2 == user }.map { Samples.id($0).description })
        }
        #expect(try await station.entries("delivered").allSatisfy { $0.attempts == 0 })
        #expect(try await station.homing("status").text.hasPrefix("Everything has been delivered: 6 captures."))
        try await station.end(SIGTERM)
    }

    /// The server gives a fit test the person's newest measurement, so a capture that fails without blame stays first.
    @Test(arguments: [FaultName.unavailable, .internalError])
    func capturesKeepTheirOrderBeforeAFitTest(fault: FaultName) async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.apply(Fault(fault, path: "facial_measurements_from_arkit", count: 3))
        try await station.pauseSending()
        for number in 1...2 { try await station.measure("7", number) }
        try await station.testFit("7", 3)
        try await station.resumeSending()
        try await station.allSettled(1...3)
        #expect(station.sandbox.ledger.arrivals.map(\.number) == [1, 2, 3])
        try await station.end(SIGTERM)
    }

    /// The server gives a fit test the newest measurement, so later ones wait for it.
    @Test func eachFitTestGetsTheMeasurementBeforeIt() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.down()
        for number in [1, 3, 5] {
            try await station.measure("7", number)
            try await station.testFit("7", number + 1)
        }
        try await station.sandbox.up()
        let sync = try await station.homing("sync", "--wait", "--timeout", "600")
        #expect(sync.code == 0, "\(sync.text)")
        #expect(station.sandbox.ledger.arrivals.map(\.number) == [1, 2, 3, 4, 5, 6])
        try await station.end(SIGTERM)
    }

    /// The backend's responses repeat the document.
    @Test func largePayloadIsDeliveredAndFoundByLookup() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.apply(Fault(.commitThenCut, path: "facial_measurements_from_arkit", count: 1))
        let mesh = String(repeating: "x", count: 12 << 20)
        for number in 1...2 {
            let document = #"{"timestamp":\#(number),"average_measurements":{},"mesh":"\#(mesh)"}"#
            _ = try await station.client.call(
                Endpoints.submit,
                ControlAPI.Submission(
                    backend: "breathesafe", route: "measurement", id: Samples.id(number).description, fields: ["user_id": "5"],
                    payload: Data(document.utf8)))
        }
        try await station.event("delivered", count: 2)
        #expect(try await station.event("delivered")?.detail["foundByLookup"] == "true")
        #expect(station.sandbox.ledger.entries.map(\.clientMutationID) == [1, 2].map { Samples.id($0).description })
        try await station.end(SIGTERM)
    }

    @Test func filesDroppedOfflineAreDelivered() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.down()
        let data = TestStation.project + "/Tests/Data/"
        let new = station.directory("state/spool/new")
        for number in 1...3 {
            let name = "measurements_5_176500000\(number).json"
            try FileManager.default.copyItem(atPath: data + "PendingMeasurements/" + name, toPath: new + "/" + name)
        }
        try FileManager.default.createDirectory(atPath: new + "/users/6", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: data + "arkit/capture-01.json", toPath: new + "/users/6/capture-01.json")
        try await station.event("captured", count: 4)
        try await station.sandbox.up()
        #expect(try await station.homing("sync", "--wait", "--timeout", "600").code == 0)
        #expect(station.sandbox.ledger.entries.compactMap(\.user).sorted() == [5, 5, 5, 6])
        #expect(try FileManager.default.contentsOfDirectory(atPath: station.directory("state/spool/taken")).isEmpty)
        try await station.end(SIGTERM)
    }

    /// The daemon runs in this process with a test clock; everything else is real.
    @Test func longOutageCountsNoAttempt() async throws {
        let directory = try TemporaryDirectory()
        let sandbox = try Sandbox(SandboxConfiguration { $0.backend = .breatheSafe(.severalUsers) })
        try TestStation.place("breathesafe", in: directory, baseURL: sandbox.baseURL)
        try TestStation.configure(directory, delivery: "first_pause: 5")
        try await sandbox.start()
        let clock = TestClock(Date())
        let configuration = try Configuration.load(file: directory("homing.yaml"), environment: [:])
        let daemon = try await Daemon(configuration: configuration, environment: [:], clock: clock, log: .silent)
        let client = ControlClient(socketPath: directory("homing.sock"), timeout: .seconds(600))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await daemon.run() }
            _ = try await client.call(
                Endpoints.signIn, SignIn(email: "manager@lab.test", password: BreatheSafeConfiguration.labPassword))
            await sandbox.down()
            for number in 1...3 {
                _ = try await client.call(
                    Endpoints.submit,
                    ControlAPI.Submission(
                        route: "measurement", id: Samples.id(number).description, fields: ["user_id": "\(4 + number)"],
                        payload: TestStation.measurement(number)))
            }
            let end = clock.now.addingTimeInterval(6 * 3600)
            var probes = 0
            while clock.now < end {
                let count = clock.slept
                if let next = try await client.call(Endpoints.status, NoInput()).backends[0].nextTry, next > clock.now {
                    probes += 1
                    // The API truncates times to milliseconds.
                    clock.advance(to: next.addingTimeInterval(0.001))
                }
                // The next probe is scheduled only after the last one has failed.
                await clock.sleeps(after: count)
            }
            // At least every 15 seconds once the pauses have grown, and never hammering.
            #expect((6 * 240...6 * 600).contains(probes))
            let waiting = try await client.call(Endpoints.entries, EntryQuery(state: "pending")).entries
            #expect(waiting.count == 3)
            #expect(waiting.allSatisfy { $0.attempts == 0 })

            try await sandbox.up()
            let report = try await client.call(Endpoints.sync, SyncRequest())
            var delivered = 0
            try await client.events(EventQuery(since: report.cursor, follow: true)) { event in
                if event.kind == "delivered" { delivered += 1 }
                return delivered < 3
            }
            #expect(sandbox.ledger.entries.count == 3)
            group.cancelAll()
        }
        await sandbox.stop()
    }
}
