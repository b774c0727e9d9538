import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// A first start, some work and a stop with a failing call, then another start without one.
actor SyscallRound {
    struct Finding: Sendable {
        var problems: [String] = []
        var met: [String] = []
        /// True if the daemon ended by itself because of the failure.
        var ended = false
        var wasCut = false
        var acknowledged = 0, lost = 0, duplicated = 0
        /// In seconds, from the second start until all is settled.
        var recovery = 0.0
        var said = ""
    }

    private let injection: Injection
    private let station: TestStation
    private let client: ControlClient
    private var finding = Finding()
    private var isSignedIn = false
    private var hasDropped = false
    /// True if this round killed the daemon.
    private var isCut = false
    private var acknowledged: Set<Int> = []

    private static let submissions = 1...3
    /// Submissions and one dropped file.
    private static let captures = submissions.count + 1
    private let patience: Duration

    /// - Parameter patience: the time limit for everything that needs no person.
    init(_ injection: Injection, patience: Duration? = nil) async throws {
        self.injection = injection
        self.patience = patience ?? .seconds(300)
        station = try await TestStation(delivery: "first_delay: 0.02, lookup_after: 0.02, first_pause: 0.05")
        client = ControlClient(socketPath: station.directory("homing.sock"), timeout: .seconds(60))
    }

    func run() async throws -> Finding {
        try await lifeUnderInjection()
        if finding.problems.isEmpty { try await lifeAfter() }
        await station.sandbox.stop()
        return finding
    }

    // MARK: While calls go wrong

    private func lifeUnderInjection() async throws {
        let met = station.directory("met")
        var environment = try Recorder(root: station.directory("state"), log: nil).environment(met: met)
        environment["RECORDER_FAIL"] = injection.environment
        let daemon = try WatchedDaemon(station, environment, logTo: station.directory("log"))
        let cutting = Task { if injection.ending == .killOnceMet { await cut(daemon, onceSomethingIsIn: met) } }
        switch await daemon.starts(within: patience) {
        case .up:
            try await work(daemon)
            finding.ended = !daemon.isRunning
            if injection.ending == .kill { cut(daemon) }
            if !(await daemon.ends(by: SIGTERM, within: .seconds(120))) { broken("the daemon still ran 120 s after SIGTERM") }
        case .ended: finding.ended = true
        case .hangs:
            broken("the daemon neither started nor exited")
            _ = await daemon.ends(by: SIGKILL, within: .seconds(60))
        }
        cutting.cancel()
        await cutting.value
        // The daemon may have ended by itself just before the kill.
        if isCut, daemon.wasKilled {
            (finding.ended, finding.wasCut) = (false, true)
        } else {
            if finding.ended, daemon.endedWell { broken("the daemon exited by itself and reported success") }
            let places = ["state", "homing.sock"].map { station.directory($0) }
            let wrong = daemon.wrongEnd(
                places: places, reasons: LastWords.reasons(of: Injection.numbers[injection.error] ?? 0, in: injection.call))
            if finding.problems.isEmpty, let wrong { broken(wrong) }
        }
        finding.said = daemon.said
        // `try?`: the file is missing if no call was met.
        finding.met = ((try? String(contentsOfFile: met, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    private func cut(_ daemon: WatchedDaemon, onceSomethingIsIn file: String) async {
        while !Task.isCancelled, daemon.isRunning {
            if FileManager.default.contents(atPath: file)?.isEmpty == false { return cut(daemon) }
            await pauseBriefly()
        }
    }

    private func cut(_ daemon: WatchedDaemon) {
        guard daemon.isRunning else { return }
        isCut = true
        daemon.cut()
    }

    private func work(_ daemon: WatchedDaemon) async throws {
        try drop()
        let deadline = ContinuousClock.now + patience
        var last: Status?
        while daemon.isRunning {
            await handIn(atMost: injection.ending == .killOnceAcknowledged ? 1 : .max)
            if injection.ending == .killOnceAcknowledged, !acknowledged.isEmpty { return cut(daemon) }
            // `try?`: asked again.
            last = try? await client.call(Endpoints.status, NoInput())
            if let last, isSettled(last) { return }
            guard ContinuousClock.now < deadline else {
                return broken("some entries were not settled after \(patience): \(last.map(Self.summary) ?? "no status")")
            }
            await Self.pauseBetweenLooks()
        }
    }

    /// Longer than in tests, since each check takes processor time from parallel rounds.
    private static func pauseBetweenLooks() async {
        try? await Task.sleep(for: .milliseconds(10))  // `try?`: on cancellation the loop's condition decides
    }

    private func drop() throws {
        let folder = station.directory("state/spool/new/users/9")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try TestStation.measurement(9).write(to: URL(fileURLWithPath: station.directory("dropping")))
        try FileManager.default.moveItem(atPath: station.directory("dropping"), toPath: "\(folder)/9.json")
        hasDropped = true
    }

    /// A careful client: submits again under the same id until it gets a response.
    ///
    /// - Parameter atMost: the maximum number of acknowledged submissions.
    private func handIn(atMost most: Int = .max) async {
        if !isSignedIn {
            let form = SignIn(backend: "breathesafe", email: "manager@lab.test", password: BreatheSafeConfiguration.labPassword)
            isSignedIn = (try? await client.call(Endpoints.signIn, form)) != nil  // `try?`: tried again
        }
        // The file may have been dropped before the sign-in.
        if isSignedIn { _ = try? await client.call(Endpoints.claim, NoInput()) }  // `try?`: tried again
        for number in Self.submissions where isSignedIn && acknowledged.count < most && !acknowledged.contains(number) {
            let submission = Submission(
                backend: "breathesafe", route: "measurement", id: Samples.id(number).description, fields: ["user_id": "5"],
                payload: TestStation.measurement(number))
            if (try? await client.call(Endpoints.submit, submission)) != nil { acknowledged.insert(number) }  // `try?`: tried again
        }
    }

    /// True when all is delivered. A file that the status reports as refused or stuck counts too.
    private func isSettled(_ status: Status) -> Bool {
        guard acknowledged.count == Self.submissions.count, let queue = status.backends.first?.queue else { return false }
        let told = status.spool.map { $0.stuck + $0.refused } ?? 0
        return queue.pending + queue.inflight == 0 && queue.delivered + told >= Self.captures
    }

    private static func summary(_ status: Status) -> String {
        let backend = status.backends.first
        let queue = backend?.queue
        return "\(status.sentence) session \(backend?.session.state ?? ""), gate \(backend?.gate ?? ""), pending \(queue?.pending ?? -1), "
            + "inflight \(queue?.inflight ?? -1), held \(queue?.held ?? -1), dead \(queue?.dead ?? -1), delivered \(queue?.delivered ?? -1), "
            + "files waiting \(status.spool?.waiting ?? -1)"
    }

    // MARK: Afterwards

    private func lifeAfter() async throws {
        let started = ContinuousClock.now
        let daemon = try WatchedDaemon(station, [:], logTo: station.directory("log-after"))
        guard await daemon.starts(within: patience) == .up else {
            _ = await daemon.ends(by: SIGKILL, within: .seconds(60))
            return broken("the daemon does not start again: \(daemon.said)")
        }
        let session = try await client.call(Endpoints.status, NoInput()).backends.first?.session
        if isSignedIn, session?.state != "signedIn" {
            broken("the acknowledged session is lost: \(session?.state ?? "") \(session?.reason ?? "")")
            isSignedIn = false
        }
        if !hasDropped { try drop() }
        let deadline = started + patience
        var rows: [EntrySummary] = []
        repeat {
            await handIn()
            rows = try await client.call(Endpoints.entries, EntryQuery(limit: 500)).entries
            if acknowledged.count == Self.submissions.count, rows.count(where: { $0.state == "delivered" }) >= Self.captures { break }
            await Self.pauseBetweenLooks()
        } while ContinuousClock.now < deadline && daemon.isRunning
        finding.recovery = (ContinuousClock.now - started) / .seconds(1)
        compare(rows)
        guard await daemon.ends(by: SIGTERM, within: .seconds(120)), daemon.endedWell else {
            return broken("the restarted daemon did not stop cleanly: \(daemon.said)")
        }
    }

    private func compare(_ rows: [EntrySummary]) {
        finding.acknowledged = acknowledged.count
        for number in acknowledged.sorted() where !rows.contains(where: { $0.id == Samples.id(number).description }) {
            finding.lost += 1
            broken("entry \(number) was acknowledged but is lost")
        }
        for row in rows where row.state != "delivered" { broken("entry \(row.id) is \(row.state) at the end") }
        let files = rows.count { !$0.id.hasPrefix("00000000") }
        if files != 1 { broken("one file was dropped, but \(files) are stored") }
        let effects = station.sandbox.ledger.entries.compactMap(\.clientMutationID)
        for row in rows where row.state == "delivered" {
            let count = effects.count { $0 == row.id }
            finding.duplicated += max(0, count - 1)
            if count != 1 { broken("entry \(row.id) took effect \(count) times") }
        }
    }

    private func broken(_ what: String) { finding.problems.append(what) }
}
