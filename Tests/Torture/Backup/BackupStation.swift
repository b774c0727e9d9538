import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// A station that is backed up under load, loses its state directory, and gets it back from a backup.
actor BackupStation {
    /// A submission, as its client knows it.
    struct Submitted: Sendable {
        let backend: String
        /// Of breathesafe; the other backend has only one.
        let account: Int
        var isAcknowledged = false
        /// The client asked to discard it.
        var isDiscardAsked = false
        /// It was discarded before anything was sent.
        var isDiscardedUnsent = false
    }

    /// A whole backup, and the entries that were acknowledged before it began.
    struct Backup: Sendable {
        let file: BackupFile
        let entries: Set<Int>
    }

    let station: TestStation
    /// A backend that takes each request, and cannot be asked.
    let appointments: Sandbox
    let flaw: BackupFlaw?
    var dice: SplitMix64
    /// Separate, because submissions and backups happen at once.
    var loadDice: SplitMix64

    var submitted: [Int: Submitted] = [:]
    var account = 1
    var backups: [Backup] = []
    /// Files that are not whole.
    var incomplete: [BackupFile] = []
    /// True once the state directory was lost and restored.
    var isRestored = false
    var finding = LifeFinding()

    init(seed: UInt64, flaw: BackupFlaw?) async throws {
        self.flaw = flaw
        dice = SplitMix64(seed: seed)
        loadDice = SplitMix64(seed: ~seed)
        station = try await TestStation()
        appointments = try Sandbox(SandboxConfiguration { $0.backend = .labLoop() })
        try await appointments.start()
        try TestStation.place("labloop", in: station.directory, baseURL: appointments.baseURL)
        let file = station.directory("homing.yaml")
        try (String(contentsOfFile: file, encoding: .utf8) + "spool: {enabled: false}\n")
            .write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(atPath: station.directory("backups"), withIntermediateDirectories: true)
    }

    func stop() async {
        await station.sandbox.stop()
        await appointments.stop()
    }

    func broken(_ words: String) { finding.problems.append(words) }
    func met(_ fault: String) { finding.faults[fault, default: 0] += 1 }
    func counted(_ what: String) { finding.counts[what, default: 0] += 1 }

    // MARK: Sessions

    private static let emails = [1: "manager@lab.test", 2: "other@lab.test"]

    /// Signs in at each backend without a session.
    func signIn() async throws {
        for report in try await station.status().backends where report.session.state != "signedIn" {
            let email = Self.emails[report.name == "breathesafe" ? account : 1]
            let form = SignIn(
                backend: report.name, email: email, password: BreatheSafeConfiguration.labPassword, remember: report.name == "breathesafe")
            try await patiently { [station] in _ = try await station.client.call(Endpoints.signIn, form) }
        }
        let session = try await station.status().backends.first { $0.name == "breathesafe" }?.session
        account = session?.account.flatMap { Int($0) } ?? account
    }

    /// Signs the other account of breathesafe out, and this one in.
    func use(_ account: Int) async throws {
        try await signIn()
        guard account != self.account else { return }
        try await patiently { [station] in
            _ = try await station.client.call(Endpoints.signOut, SignOut(backend: "breathesafe"))
        }
        self.account = account
        try await signIn()
    }

    /// Repeats `work` until it succeeds: a busy machine or a late fault may refuse it. As `RoundCampaign.patiently`, for an actor.
    private func patiently(_ work: @Sendable () async throws -> Void) async throws {
        let limit = ContinuousClock.now + .seconds(600)
        while true {
            do { return try await work() } catch { if ContinuousClock.now > limit { throw error } }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    // MARK: Load

    /// Adds a submission for the account that is signed in.
    ///
    /// - Parameter backend: nil for any.
    func add(to backend: String? = nil) {
        let drawn = Int.random(in: 0..<3, using: &loadDice) == 0 ? "labloop" : "breathesafe"
        submitted[submitted.count + 1] = Submitted(backend: backend ?? drawn, account: account)
    }

    /// A careful client: submits again under the same id until it gets a response.
    func handIn() async {
        let owed = submitted.filter { !$0.value.isAcknowledged && ($0.value.backend == "labloop" || $0.value.account == account) }
        for (number, entry) in owed.sorted(by: { $0.key < $1.key }) { await submit(number, entry) }
    }

    func submit(_ number: Int, _ entry: Submitted) async {
        let measurement = ControlAPI.Submission(
            backend: "breathesafe", route: "measurement", id: Samples.id(number).description,
            fields: ["user_id": entry.account == 1 ? "\(5 + number % 5)" : "10"], payload: TestStation.measurement(number))
        let submission = entry.backend == "labloop" ? FarBackend.labLoop.submission(number) : measurement
        // `try?`: submitted again under the same id.
        guard (try? await station.client.call(Endpoints.submit, submission)) != nil else { return }
        submitted[number]?.isAcknowledged = true
    }

    /// Submits and discards, with faults of the backends, while the daemon runs.
    func work(_ count: Int, while process: Process) async {
        for _ in 0..<count where process.isRunning {
            if Int.random(in: 0..<3, using: &loadDice) == 0 { await applyFault() }
            add()
            await handIn()
            if Int.random(in: 0..<4, using: &loadDice) == 0 { await discardOne() }
            await pauseBriefly()
        }
    }

    private static let faults = [
        FaultName.commitThenCut, .cut, .internalErrorAfterCommit, .unavailable, .internalError, .slow, .truncated,
    ]

    private func applyFault() async {
        let name = Self.faults[Int.random(in: 0..<Self.faults.count, using: &loadDice)]
        let isAppointment = Bool.random(using: &loadDice)
        let path = isAppointment ? "appointments" : "facial_measurements_from_arkit"
        await (isAppointment ? appointments : station.sandbox).apply(Fault(name, path: path, count: 1) { $0.milliseconds = 30 })
        met("backend fault \(name.rawValue)")
    }

    /// Discards an entry that was not sent, as far as the status says.
    func discardOne() async {
        let candidates = submitted.filter { $0.value.isAcknowledged && !$0.value.isDiscardAsked }.keys.sorted().suffix(8)
        guard let number = candidates.randomElement(using: &loadDice) else { return }
        // `try?`: the daemon may be gone.
        guard let row = try? await station.entry(number), row.state == "pending", !row.uncertain else { return }
        submitted[number]?.isDiscardAsked = true
        // `try?`: a response that is lost leaves the outcome open.
        guard let gone = try? await station.client.call(Endpoints.discard, DiscardRequest(id: row.id)) else { return }
        submitted[number]?.isDiscardedUnsent = !gone.uncertain && gone.attempts + gone.releases == 0
        counted("discards")
    }
}
