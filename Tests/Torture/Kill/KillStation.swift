import ControlAPI
import Foundation
import Salvage
import Sandbox
import StationSupport
import SyncModel
import Synchronization
import TestSupport

/// A station with a daemon that is killed repeatedly, and a careful client that submits to it.
actor KillStation {
    let station: TestStation
    let lists: Sandbox
    private let recorder: Recorder
    private let seed: UInt64
    private var generator: SplitMix64
    private var rounds = 0

    /// By number: acknowledged submissions, and those without a response.
    private var acknowledged: Set<Int> = []
    private var owed: [Int] = []
    private var acknowledgedLists: Set<Int> = []
    private var owedLists: [Int] = []
    private var next = 0
    private var dropped = 0
    private var signIns = 0
    private var wrongSessions: [String] = []

    private let patience: Duration
    /// A negative control: the client counts submissions as acknowledged before it gets a response.
    private let isCareless: Bool

    init(seed: UInt64, patience: Duration = .milliseconds(600), isCareless: Bool = false) async throws {
        self.patience = patience
        self.isCareless = isCareless
        self.seed = seed
        generator = SplitMix64(seed: seed)
        station = try await TestStation()
        lists = try Sandbox(SandboxConfiguration { $0.backend = .lists2026(Lists2026Configuration { ($0.grace, $0.limits) = (0, .none) }) })
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

    /// A first start that is killed, then one that is not, and the sign-ins. True if the point was met.
    func begin(_ point: FailPoint) async throws -> Bool {
        let met = try await dies(at: point)
        try await station.start()
        try await station.signIn("breathesafe")
        try await station.signIn("lists-2026")
        try FileManager.default.createDirectory(atPath: station.directory("state/spool/new/users/9"), withIntermediateDirectories: true)
        try await station.end(SIGKILL)
        return met
    }

    /// One round: a start, work of every kind, and the kill at `point`. True if the point was met.
    func round(_ point: FailPoint) async throws -> Bool {
        switch point.prelude {
        case .endedTokens:
            // A kill in an earlier round may have cost the session, and without one there is no refresh.
            try await station.start()
            try await restoreSession()
            try await station.end(SIGKILL)
            lists.expireSessions()
        case .damagedStore:
            // Marks the store as a run that found damage does. Nothing is damaged, so nothing may be missing. A truncated transaction would look like
            // a loss, so a clean stop removes it first.
            if LogEnd(in: station.directory("state")).hasPieces {
                try await station.start()
                try await station.end(SIGTERM)
            }
            try "torture".write(toFile: station.directory("state/outbox.sqlite.damaged"), atomically: false, encoding: .utf8)
        case .signingOut:
            try await station.start()
            try await restoreSession()
            try await station.end(SIGKILL)
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
        let met = try await dies(at: point)
        if point.prelude == .signingOut { try await lookAfterSignOut() }
        return met
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
        let work = Task {
            await self.handIn(while: process)
            if point.prelude == .signingOut { await self.signOut() }
        }
        let limit = ContinuousClock.now + (place == nil ? moment : patience)
        while process.isRunning, ContinuousClock.now < limit { await pauseBriefly() }
        try await station.end(SIGKILL)
        await work.value
        return place == nil || FileManager.default.fileExists(atPath: met)
    }

    private func handIn(while process: Process) async {
        let station = station
        // `try?`: the next start tries again.
        try? await releaseHeldLists()
        for number in owed where process.isRunning {
            // `try?`: submitted again under the same id.
            let isAnswered = (try? await station.submit(user: 5 + number % 4, id: number)) != nil
            guard isAnswered || isCareless else { continue }
            acknowledged.insert(number)
            owed.removeAll { $0 == number }
        }
        for number in owedLists where process.isRunning {
            let submission = Submission(
                backend: "lists-2026", route: "create_list", id: Samples.id(number).description,
                fields: ["name": UnkeyedEffects.name(number)])
            guard (try? await station.client.call(Endpoints.submit, submission)) != nil else { continue }
            acknowledgedLists.insert(number)
            owedLists.removeAll { $0 == number }
        }
    }

    /// Lists has neither keys nor look-ups. Three kills during a send hold the entry, and a person retries it here.
    private func releaseHeldLists() async throws {
        for entry in try await station.entries("held") where entry.backend == "lists-2026" && entry.uncertain {
            _ = try await station.client.call(Endpoints.retry, RetryRequest(id: entry.id, withoutLooking: entry.retryMayDuplicate == true))
        }
    }

    // MARK: Signing out

    private static let signingOut = "api/v1/auth/sign_out"
    /// The latest sign-out: whether it got a response, and the server's earlier sign-out requests.
    private var isSignedOut = false
    private var toldBefore = 0

    private func signOut() async {
        toldBefore = lists.ledger.requestCount("DELETE", path: Self.signingOut)
        // `try?`: without a response the outcome is unknown.
        isSignedOut = (try? await station.client.call(Endpoints.signOut, SignOut(backend: "lists-2026"))) != nil
    }

    /// A kill does not undo a sign-out after the client or the server knows of it. The server gets at most one request for it, and after the kill one
    /// for the owed sign-out.
    private func lookAfterSignOut() async throws {
        try await station.start()
        let limit = ContinuousClock.now + .seconds(120)
        var state = try await stateOfLists()
        while state == "signingOut", ContinuousClock.now < limit {
            await pauseBriefly()
            state = try await stateOfLists()
        }
        let told = lists.ledger.requestCount("DELETE", path: Self.signingOut) - toldBefore
        if told > 2 { wrongSessions.append("the server got one sign-out \(told) times") }
        if state == "signedOut" {
            try await station.signIn("lists-2026")
        } else if isSignedOut || told > 0 {
            wrongSessions.append("a sign-out that \(isSignedOut ? "was answered" : "the server got") left the session in state \(state)")
        }
        try await restoreSession()
        isSignedOut = false
        try await station.end(SIGKILL)
    }

    private func stateOfLists() async throws -> String {
        try await station.status().backends.first { $0.name == "lists-2026" }?.session.state ?? ""
    }

    // MARK: Looking

    struct Finding: Sendable {
        var problems: [String] = []
        var acknowledged = 0, lost = 0, duplicated = 0, duplicatedUncertain = 0
        /// Sign-ins that were needed because the response to a refresh was lost.
        var signIns = 0
        /// In seconds, from the start until all is settled.
        var recovery = 0.0
    }

    /// Starts without a kill, waits until all is settled, and compares acknowledged entries with the backends.
    func settle(patience: Duration = .seconds(600)) async throws -> Finding {
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
            try await releaseHeldLists()
            let isSettled = reports.allSatisfy { $0.queue.pending + $0.queue.inflight + $0.queue.held == 0 }
            if isSettled, try await station.entries().count >= expected { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        finding.recovery = Double((ContinuousClock.now - started) / .milliseconds(1)) / 1000
        (finding.signIns, finding.problems) = (signIns, wrongSessions)
        (signIns, wrongSessions) = (0, [])
        try await compare(&finding)
        try await station.end(SIGTERM)
        return finding
    }

    /// Signs in again if the daemon asks for it. Its only valid reason is a refresh response lost in a kill.
    private func restoreSession() async throws {
        let reports = try await station.status().backends
        guard let session = reports.first(where: { $0.name == "lists-2026" })?.session, session.state == "signInRequired" else { return }
        signIns += 1
        if session.reason?.hasPrefix("refresh answer lost") != true {
            wrongSessions.append("a new sign-in is needed: \(session.reason ?? "")")
        }
        try await station.signIn("lists-2026")
    }

    private var expected: Int { acknowledged.count + acknowledgedLists.count + dropped }

    private func compare(_ finding: inout Finding) async throws {
        let all = try await station.entries()
        let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
        let measurements = all.filter { $0.backend == "breathesafe" }
        finding.acknowledged = expected
        for number in acknowledged.sorted() where byID[Samples.id(number).description] == nil {
            finding.lost += 1
            finding.problems.append("entry \(number) was acknowledged but is lost")
        }
        let files = measurements.count { !$0.id.hasPrefix("00000000") }
        if files != dropped { finding.problems.append("\(dropped) files were dropped, but \(files) are stored") }
        for row in all where row.state != "delivered" { finding.problems.append("entry \(row.id) is \(row.state) at the end") }

        let ledger = station.sandbox.ledger
        finding.duplicated = ledger.duplicates.values.reduce(0) { $0 + $1.count - 1 }
        if finding.duplicated > 0 { finding.problems.append("\(ledger.duplicates.keys.sorted()) took effect more than once") }
        for user in 5...9 {
            let expected = measurements.filter { $0.lane == "users/\(user)" }.map(\.id)
            let arrived = ledger.entries.filter { $0.user == user }.compactMap(\.clientMutationID)
            if arrived != expected { finding.problems.append("lane users/\(user) was delivered out of order or incompletely") }
        }

        for number in acknowledgedLists.sorted() where byID[Samples.id(number).description] == nil {
            finding.lost += 1
            finding.problems.append("list \(number) was acknowledged but is lost")
        }
        try await compareLists(all.filter { $0.backend == "lists-2026" }, &finding)
        for report in SalvageReport.all(in: station.directory("state"))
        where report.missing + report.unreadable + report.lostReceipts > 0 || report.mayMissMore {
            finding.problems.append("nothing was damaged, but a recovery report says that something is missing: \(report)")
        }
    }

    private func compareLists(_ rows: [EntrySummary], _ finding: inout Finding) async throws {
        var effects = UnkeyedEffects(digests: lists.ledger.entries.map(\.digest), numbers: 1...max(next, 1))
        let numbers = Dictionary(uniqueKeysWithValues: (1...max(next, 1)).map { (Samples.id($0).description, $0) })
        let doubted = Mutex<[String]>([])
        try await station.client.events(EventQuery(since: 0)) { event in
            if event.kind == "recovered", event.backend == "lists-2026" { doubted.withLock { $0.append(event.entry ?? "") } }
            return true
        }
        for number in doubted.withLock(\.self).compactMap({ numbers[$0] }) { effects.doubts[number, default: 0] += 1 }
        let delivered = rows.filter { $0.state == "delivered" }.compactMap { numbers[$0.id] }
        finding.problems += effects.problems(delivered: Set(delivered))
        finding.duplicated += effects.duplicated
        finding.duplicatedUncertain += effects.duplicatedUncertain
    }
}
