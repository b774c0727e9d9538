import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@testable import homing_torture

/// What submissions and deliveries cost, in counted calls and bytes, which are the same on every machine.
@Suite struct CostTests {
    // The limits: the figures of 2026-11-26, and about 15 %; twice those of the store, which depend on where a checkpoint falls. Lower them after an
    // improvement.
    private static let phases = [
        // A commit of 9.5 pages, and a part of a checkpoint. Each page takes two writes to the log.
        Phase("submission of 2 KB", count: 100, limit: Cost(syncs: 1.18, logWrites: 21.9, logKiB: 44, storeWrites: 0.8, storeKiB: 3.1)),
        // Some more pages for the payload.
        Phase("submission of 17 KB", count: 100, limit: Cost(syncs: 1.18, logWrites: 29.4, logKiB: 59.2, storeWrites: 2.5, storeKiB: 10)),
        // The result and the next claim share a commit.
        Phase("delivery", count: 201, limit: Cost(syncs: 1.23, logWrites: 36.1, logKiB: 72.5, storeWrites: 3.3, storeKiB: 13.2)),
    ]
    /// For all deliveries: theirs, and one that finds the backend.
    private static let mostConnections = 2
    /// Per delivery: its own, and a part of those that find the backend and check the session.
    private static let mostRequests = 1.05

    @Test func countedCostsStayWithinTheirLimits() async throws {
        // So long that no probe is among the submissions.
        let station = try await TestStation(delivery: "first_pause: 600")
        let log = station.directory("calls.log")
        let recorder = Recorder(root: station.directory("state"), log: log)
        try await station.start(try recorder.environment())
        try await station.login()
        await station.sandbox.down()
        // It meets the outage, and is delivered with the others.
        try await Self.submit(Self.small, 1, to: station)
        try await station.event("gateChanged") { $0.detail["gate"] == "cooling" }

        try recorder.mark("small")
        for number in 2...101 { try await Self.submit(Self.small, number, to: station) }
        try recorder.mark("large")
        let capture = try Data(contentsOf: URL(fileURLWithPath: "\(TestStation.project)/Tests/Data/arkit/capture-01.json"))
        for number in 102...201 { try await Self.submit(capture, number, to: station) }
        try recorder.mark("drain")
        let earlier = station.sandbox.ledger.requests.count
        try await station.sandbox.up()
        try await station.sync()
        // A client that reads events meanwhile would hold up the checkpoints.
        await station.sandbox.ledger.waits { $0.entries.count >= 201 }
        try await station.event("delivered", count: 201)
        try recorder.mark("end")
        let requests = Double(station.sandbox.ledger.requests.count - earlier) / 201
        let connections = await station.sandbox.connectionCount
        try await station.end(SIGTERM)

        let costs = Self.costs(in: try DiskLog(log: log).records)
        try #require(costs.count == Self.phases.count)
        let figures =
            zip(Self.phases, costs).map { "\($0.name): \($1), at most \($0.limit)" }.joined(separator: "\n")
            + "\n\(connections) connections, and \(Cost.rounded(requests)) requests per delivery"
        for (phase, cost) in zip(Self.phases, costs) {
            // Otherwise nothing was recorded.
            #expect(cost.logWrites > 1, "\(figures)")
            #expect(zip(cost.values, phase.limit.values).allSatisfy { $0 <= $1 }, "a \(phase.name) costs more\n\(figures)")
        }
        #expect((1...Self.mostConnections).contains(connections), "\(figures)")
        #expect((1...Self.mostRequests).contains(requests), "\(figures)")
    }

    /// About 2 KB.
    private static let small: Data = {
        let rows = (1...45).map { #""\#($0)-\#($0 + 800)":{"value":1\#($0).25,"description":"n"}"# }.joined(separator: ",")
        return Data(#"{"timestamp":1765000000,"average_measurements":{\#(rows)}}"#.utf8)
    }()

    /// All in one lane.
    private static func submit(_ payload: Data, _ number: Int, to station: TestStation) async throws {
        let submission = ControlAPI.Submission(
            backend: "breathesafe", route: "measurement", id: Samples.id(number).description, fields: ["user_id": "5"], payload: payload)
        _ = try await station.client.call(Endpoints.submit, submission)
    }

    /// The cost of one item in each phase.
    private static func costs(in records: [Record]) -> [Cost] {
        let paths = Dictionary(records.filter { $0.kind == .open }.map { ($0.handle, $0.path) }) { $1 }
        let parts = records.split(omittingEmptySubsequences: false) { $0.kind == .mark }
        return zip(phases, parts.dropFirst()).map { phase, part in Cost(of: part, paths: paths, per: Double(phase.count)) }
    }
}

private struct Phase {
    let name: String
    let count: Int
    let limit: Cost

    init(_ name: String, count: Int, limit: Cost) { (self.name, self.count, self.limit) = (name, count, limit) }
}

/// Calls and KiB. The log is the WAL.
private struct Cost: CustomStringConvertible {
    let syncs, logWrites, logKiB, storeWrites, storeKiB: Double

    var values: [Double] { [syncs, logWrites, logKiB, storeWrites, storeKiB] }

    var description: String {
        let (syncs, calls, kib) = (Self.rounded(syncs), Self.rounded(logWrites), Self.rounded(logKiB))
        return "\(syncs) syncs, log \(calls) writes, \(kib) KiB, store \(Self.rounded(storeWrites)) writes, \(Self.rounded(storeKiB)) KiB"
    }

    static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

extension Cost {
    /// Housekeeping empties the log every ten seconds, so a slow run does it more often. Each time is left out with as much as a checkpoint takes here
    /// at most; pages have 4 KiB.
    private static let (emptyingSyncs, emptyingPages, page) = (4.0, 80.0, 4.0)

    init(of records: ArraySlice<Record>, paths: [UInt64: String], per count: Double) {
        func calls(_ kind: Record.Kind, _ file: String) -> [Record] { records.filter { $0.kind == kind && paths[$0.handle] == file } }
        func kib(_ writes: [Record]) -> Double { Double(writes.reduce(0) { $0 + $1.data.count }) / 1024 }
        let log = calls(.write, "outbox.sqlite-wal")
        let store = calls(.write, "outbox.sqlite")
        let emptyings = Double(calls(.truncate, "outbox.sqlite-wal").count)
        syncs = (Double(records.count { $0.kind == .sync }) - emptyings * Self.emptyingSyncs) / count
        (logWrites, logKiB) = (Double(log.count) / count, kib(log) / count)
        storeWrites = (Double(store.count) - emptyings * Self.emptyingPages) / count
        storeKiB = (kib(store) - emptyings * Self.emptyingPages * Self.page) / count
    }
}
