import ControlAPI
import Foundation
import Salvage
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Vault

/// A station whose keys are changed under load.
actor RotationStation {
    let station: TestStation
    let flaw: RotationFlaw?
    var dice: SplitMix64
    /// Separate, because submissions and changes happen at once.
    private var loadDice: SplitMix64

    private var submitted = 0
    var acknowledged: Set<Int> = []
    /// True from the answer to a sign-in until a sign-out is sent.
    var isSignedIn = false
    /// The keys that the station had, each with the vault of that time.
    var earlier: [(master: VaultKey, vault: Vault)] = []
    /// A process of the present day was killed at a moment.
    var wasKilledAtAMoment = false
    var finding = LifeFinding()

    init(seed: UInt64, flaw: RotationFlaw?) async throws {
        self.flaw = flaw
        dice = SplitMix64(seed: seed)
        loadDice = SplitMix64(seed: ~seed)
        station = try await TestStation()
        // With lists, which are sealed too.
        try TestStation.place("breathesafe", in: station.directory, baseURL: station.sandbox.baseURL, rosters: true)
        let file = station.directory("homing.yaml")
        try (String(contentsOfFile: file, encoding: .utf8) + "spool: {enabled: false}\n")
            .write(toFile: file, atomically: true, encoding: .utf8)
    }

    func stop() async { await station.sandbox.stop() }

    var state: String { station.directory("state") }

    func broken(_ words: String) { finding.problems.append(words) }
    func met(_ fault: String) { finding.faults[fault, default: 0] += 1 }
    func counted(_ what: String) { finding.counts[what, default: 0] += 1 }

    /// The first start, with a session and entries.
    func begin() async throws {
        let process = try await station.start()
        try await signIn()
        await work(3, while: process)
        try await station.end(SIGTERM)
    }

    // MARK: Load

    /// Submits, repeats earlier submissions, and signs out and in, while the daemon runs.
    func work(_ count: Int, while process: Process) async {
        for number in 0..<count where process.isRunning {
            submitted += 1
            for owed in 1...submitted where !acknowledged.contains(owed) { await submit(owed) }
            if let old = acknowledged.sorted().randomElement(using: &loadDice) { await repeats(old) }
            // Also makes Homing read the lists again.
            if number % 5 == 4 { await changeSession() }
            await pauseBriefly()
        }
    }

    private func submit(_ number: Int) async {
        // `try?`: submitted again under the same id.
        guard (try? await station.submit(user: 5 + number % 4, id: number)) != nil else { return }
        acknowledged.insert(number)
    }

    /// The same submission must be recognised, with any keys.
    private func repeats(_ number: Int) async {
        do {
            let receipt = try await station.submit(user: 5 + number % 4, id: number)
            if !receipt.duplicate { broken("a repeated submission of entry \(number) was taken for a new one") }
            counted("repeated submissions")
        } catch let problem as Problem where problem.code == .idConflict {
            broken("a repeated submission of entry \(number) was taken for another one")
        } catch {
            // The daemon is gone, or no account is signed in.
        }
    }

    private func changeSession() async {
        isSignedIn = false
        // `try?`: the daemon may be gone.
        guard (try? await station.client.call(Endpoints.signOut, SignOut(backend: "breathesafe"))) != nil else { return }
        // `try?`: as above.
        guard (try? await station.signIn("breathesafe")) != nil else { return }
        isSignedIn = true
        counted("sign-outs and sign-ins")
    }

    /// Signs in, unless the station is signed in.
    func signIn() async throws {
        if isSignedIn { return }
        try await patiently { [station] in
            let session = try await station.status().backends.first?.session
            if session?.state != "signedIn" { try await station.signIn("breathesafe") }
        }
        isSignedIn = true
    }

    // MARK: Waiting

    /// Repeats `work` until it succeeds: a busy machine may refuse it. As `RoundCampaign.patiently`, for an actor.
    private func patiently(_ work: @Sendable () async throws -> Void) async throws {
        let limit = ContinuousClock.now + .seconds(600)
        while true {
            do { return try await work() } catch { if ContinuousClock.now > limit { throw error } }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Waits for a condition; false after a timeout. As `RoundCampaign.soon`, for an actor.
    func soon(_ condition: @Sendable () async throws -> Bool) async throws -> Bool {
        let limit = ContinuousClock.now + .seconds(600)
        while ContinuousClock.now < limit {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    // MARK: Keys

    /// What the files tell, without the daemon.
    func keys() throws -> StationKeys {
        let found = try StationKeys.find(environment: [:], stateDirectory: state) { [state] in
            // `try?`: without the store, the file must do.
            (try? StoreEvidence(file: "\(state)/outbox.sqlite"))?.keyrings ?? []
        }
        guard let found else { throw StationError("the station has no key") }
        return found
    }

    /// Remembers the present keys.
    func noteKeys() throws {
        let keys = try keys()
        if !earlier.contains(where: { $0.master == keys.master }) { earlier.append((keys.master, keys.vault())) }
    }

    /// A run of `homingd key`.
    func command(_ words: String..., environment: [String: String] = [:]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homingd")
        process.arguments = ["key"] + words + ["--config", station.directory("homing.yaml")]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, given in given }
        return process
    }
}
