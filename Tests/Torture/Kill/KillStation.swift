import ControlAPI
import Delivery
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// A station whose daemon is killed again and again, and the careful client that hands in to it.
actor KillStation {
    let station: TestStation
    let lists: Sandbox
    private let recorder: Recorder
    private let seed: UInt64
    private var generator: SplitMix64
    private var rounds = 0

    /// By number: handed in and answered; handed in, and not answered yet.
    private var acknowledged: Set<Int> = []
    private var owed: [Int] = []
    private var acknowledgedLists = 0
    private var owedLists: [Int] = []
    private var next = 0
    private var dropped = 0
    /// Since the last look.
    private var signIns = 0
    private var wrongSignIns: [String] = []

    /// How long a round waits for its place to be met.
    private let patience: Duration
    /// Whether the client takes what it has handed in for acknowledged before there is an answer; a negative control.
    private let isCareless: Bool

    init(seed: UInt64, patience: Duration = .milliseconds(600), isCareless: Bool = false) async throws {
        self.patience = patience
        self.isCareless = isCareless
        self.seed = seed
        generator = SplitMix64(seed: seed)
        station = try await TestStation()
        lists = try Sandbox(SandboxConfiguration(backend: .lists2026(Lists2026Configuration(grace: 0, limits: .none))))
        try await lists.start()
        try TestStation.place("lists-2026", in: station.directory, baseURL: lists.baseURL)
        let file = station.directory("homing.yaml")
        try (String(contentsOfFile: file, encoding: .utf8) + "spool: {backend: breathesafe}\n")
            .write(toFile: file, atomically: true, encoding: .utf8)
        recorder = Recorder(root: station.directory("state"), log: nil)
    }

    func stop() async {
        await station.sandbox.stop()
        await lists.stop()
    }

    // MARK: Being killed

    /// First starts that are killed, then one that is not, and signing in. The names of the places that were met.
    func begin(_ point: FailPoint) async throws -> Bool {
        let met = try await dies(at: point)
        try await station.start()
        try await station.signIn("breathesafe")
        try await station.signIn("lists-2026")
        try FileManager.default.createDirectory(atPath: station.directory("state/spool/new/users/9"), withIntermediateDirectories: true)
        try await station.end(SIGKILL)
        return met
    }

    /// One round: a start, something of everything to do, and the end at `point`; whether that was met.
    func round(_ point: FailPoint) async throws -> Bool {
        switch point.prelude {
        case .endedTokens:
            // A kill in an earlier round may have cost the session: without one, nothing is refreshed.
            try await station.start()
            try await restoreSession()
            try await station.end(SIGKILL)
            lists.expireSessions()
        case .oldStore: try OldStore.make(of: station.directory("state/outbox.sqlite"))
        case .none, .firstStart: break
        }
        for _ in 0..<2 {
            next += 1
            owed.append(next)
        }
        next += 1
        owedLists.append(next)
        dropped += 1
        try TestStation.measurement(100_000 + dropped).write(to: URL(fileURLWithPath: station.directory("dropping")))
        try FileManager.default.moveItem(
            atPath: station.directory("dropping"), toPath: station.directory("state/spool/new/users/9/\(dropped).json"))
        return try await dies(at: point)
    }

    private func dies(at point: FailPoint) async throws -> Bool {
        let met = station.directory("met")
        try? FileManager.default.removeItem(atPath: met)  // `try?`: there may be none
        let place = point.drawn(using: &generator)
        let moment = Duration.milliseconds(Int.random(in: 0...120, using: &generator))
        let process: Process
        do {
            process = try await station.start(try recorder.environment(killing: place, met: met))
        } catch {
            guard FileManager.default.fileExists(atPath: met) else { throw error }
            return true
        }
        let work = Task { await self.handIn(while: process) }
        let limit = ContinuousClock.now + (place == nil ? moment : patience)
        while process.isRunning, ContinuousClock.now < limit { await pauseBriefly() }
        try await station.end(SIGKILL)
        await work.value
        return place == nil || FileManager.default.fileExists(atPath: met)
    }

    /// Hands in what is owed, in order, until all is answered or nobody answers any more.
    private func handIn(while process: Process) async {
        let station = station
        for number in owed where process.isRunning {
            // `try?`: what got no answer is handed in again, under the same id.
            let isAnswered = (try? await station.submit(user: 5 + number % 4, id: number)) != nil
            guard isAnswered || isCareless else { continue }
            acknowledged.insert(number)
            owed.removeAll { $0 == number }
        }
        for number in owedLists where process.isRunning {
            let submission = Submission(
                backend: "lists-2026", route: "create_list", id: Samples.id(number).description, fields: ["name": "list \(number)"])
            guard (try? await station.client.call(Endpoints.submit, submission)) != nil else { continue }
            acknowledgedLists += 1
            owedLists.removeAll { $0 == number }
        }
    }

    // MARK: Looking

    struct Finding: Sendable {
        var problems: [String] = []
        var acknowledged = 0, lost = 0, duplicated = 0, duplicatedUncertain = 0
        /// How often a person had to sign in again, because the answer to a refresh had been lost.
        var signIns = 0
        /// From the start until all was settled.
        var recovery = 0.0
    }

    /// Starts without a kill, waits until all is settled, and compares what was acknowledged with what the backends have.
    func settle(patience: Duration = .seconds(60)) async throws -> Finding {
        var finding = Finding()
        let process: Process
        let started = ContinuousClock.now
        do { process = try await station.start() } catch {
            finding.problems.append("the daemon does not start: \(error)")
            return finding
        }
        await handIn(while: process)
        let limit = started + patience
        while ContinuousClock.now < limit {
            let reports = try await station.status().backends
            try await restoreSession()
            if reports.allSatisfy({ $0.queue.pending + $0.queue.inflight == 0 }), try await rows().count >= expected { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        finding.recovery = Double((ContinuousClock.now - started) / .milliseconds(1)) / 1000
        (finding.signIns, finding.problems) = (signIns, wrongSignIns)
        (signIns, wrongSignIns) = (0, [])
        try await compare(&finding)
        try await station.end(SIGTERM)
        return finding
    }

    /// Signs in again where the daemon asks for that, which only the answer to a refresh that a kill has lost is reason for.
    private func restoreSession() async throws {
        let reports = try await station.status().backends
        guard let session = reports.first(where: { $0.name == "lists-2026" })?.session, session.state == "signInRequired" else { return }
        signIns += 1
        if session.reason?.hasPrefix("refresh answer lost") != true {
            wrongSignIns.append("a person has to sign in again: \(session.reason ?? "")")
        }
        try await station.signIn("lists-2026")
    }

    private var expected: Int { acknowledged.count + acknowledgedLists + dropped }

    private func rows() async throws -> [EntrySummary] {
        var rows: [EntrySummary] = []
        while true {
            let page = try await station.client.call(Endpoints.entries, EntryQuery(after: rows.last?.sequence ?? 0, limit: 500)).entries
            rows += page
            if page.count < 500 { return rows }
        }
    }

    private func compare(_ finding: inout Finding) async throws {
        let all = try await rows()
        let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
        let measurements = all.filter { $0.backend == "breathesafe" }
        finding.acknowledged = expected
        for number in acknowledged.sorted() where byID[Samples.id(number).description] == nil {
            finding.lost += 1
            finding.problems.append("entry \(number) was acknowledged and is lost")
        }
        let files = measurements.count { !$0.id.hasPrefix("00000000") }
        if files != dropped { finding.problems.append("\(dropped) files were dropped, and \(files) stored") }
        for row in all where row.state != "delivered" { finding.problems.append("entry \(row.id) is \(row.state) in the end") }

        let ledger = station.sandbox.ledger
        finding.duplicated = ledger.duplicates.values.reduce(0) { $0 + $1.count - 1 }
        if finding.duplicated > 0 { finding.problems.append("\(ledger.duplicates.keys.sorted()) took effect more than once") }
        for user in 5...9 {
            let expected = measurements.filter { $0.lane == "users/\(user)" }.map(\.id)
            let arrived = ledger.entries.filter { $0.user == user }.compactMap(\.clientMutationID)
            if arrived != expected { finding.problems.append("lane users/\(user) arrived in another order, or not whole") }
        }

        // Lists knows no keys and cannot be asked: a second one is only where it was noted that the first may have been made.
        let rowsOfLists = all.filter { $0.backend == "lists-2026" }
        let doubled = lists.ledger.entries.count - rowsOfLists.count
        let doubts = try await doubtsAboutLists()
        if doubled < 0 { finding.problems.append("lists: \(-doubled) are called delivered and were not made") }
        if doubled > doubts { finding.problems.append("lists: \(doubled) were made twice, and \(doubts) doubts noted") }
        if doubled > 0 {
            finding.duplicated += doubled
            finding.duplicatedUncertain += min(doubled, doubts)
        }
    }

    private func doubtsAboutLists() async throws -> Int {
        let counter = Counter()
        try await station.client.events(EventQuery(since: 0)) { event in
            if event.kind == "recovered", event.backend == "lists-2026" { counter.add() }
            return true
        }
        return counter.count
    }
}
