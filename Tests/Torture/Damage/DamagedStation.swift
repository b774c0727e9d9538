import ControlAPI
import Foundation
import Salvage
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// A station whose files are damaged after each life of its daemon. The next start must account for all captures.
struct DamagedStation {
    /// Damages a state directory, except the spared files.
    typealias Damage = (_ state: String, _ sparing: Set<String>, inout SplitMix64) throws -> [Change]

    /// The daemon's default for one transaction.
    private static let mostClaimed = 4

    private let station: TestStation
    private let state: String
    private let ofStoreOnly: Bool
    private let damage: Damage
    private var generator: SplitMix64

    private var life = 0
    private var submitted = 0
    private var files: DroppedFiles
    private var acknowledged = DamageCampaign.Acknowledged()
    /// Entries that were uncertain or on hold as unreadable after some life.
    private var doubted: Set<String> = []
    /// True once the store or its log was damaged.
    private var isTouched = false
    /// The number of effects of each entry that has several.
    private var duplicates: [String: Int] = [:]

    /// - Parameter ofStoreOnly: touch neither the key nor dropped files.
    init(_ station: TestStation, seed: UInt64, ofStoreOnly: Bool, damage: @escaping Damage) {
        (self.station, self.ofStoreOnly, self.damage) = (station, ofStoreOnly, damage)
        state = station.directory("state")
        generator = SplitMix64(seed: seed)
        files = DroppedFiles(at: station)
    }

    var captures: Int { submitted + files.count }

    /// Ends the life of the running daemon, damages its files, and begins the next one. False if the next one did not recover.
    mutating func live(_ outcome: inout Outcome) async throws -> Bool {
        life += 1
        let work = try await submit()
        let hit = try damageFiles(after: work, &outcome)
        guard try await restart(after: hit, &outcome) else { return false }
        try await account(for: hit, &outcome)
        return true
    }

    private func broken(_ what: String, _ outcome: inout Outcome) { outcome.failures.append("life \(life): \(what)") }

    private func signIn() async throws {
        try await DamageCampaign.patiently {
            if try await station.status().backends.allSatisfy({ $0.session.state != "signedIn" }) { try await station.login() }
        }
    }

    // MARK: Submitting

    /// The work of one life.
    private struct Work {
        let isDown: Bool
        let submitted: Int
        /// Files were dropped just before the daemon was killed.
        let isBurst: Bool
        let leaps: Set<Int64>
    }

    private mutating func submit() async throws -> Work {
        try await signIn()
        let isDown = Bool.random(using: &generator)
        if isDown { await station.sandbox.down() }
        let first = submitted
        for _ in 0..<Int.random(in: 1...40, using: &generator) {
            submitted += 1
            // `try?`: a refused submission was not acknowledged.
            if (try? await station.submit(user: 5 + submitted % 4, id: submitted)) == nil {
                acknowledged.unanswered.insert(Samples.id(submitted).description)
                break
            }
            acknowledged.ids.insert(Samples.id(submitted).description)
        }
        let isBurst = !ofStoreOnly && Bool.random(using: &generator)
        if isBurst { try await files.dropUntilTaken(Int.random(in: 8...24, using: &generator)) }
        let leaps = try await DamageCampaign.leaps(in: state)
        try await station.end(isBurst || Bool.random(using: &generator) ? SIGKILL : SIGTERM)
        return Work(isDown: isDown, submitted: submitted - first, isBurst: isBurst, leaps: leaps)
    }

    // MARK: Damaging

    /// The damage after one life, and its consequences that the promise allows.
    private struct Hit {
        var changes: [Change] = []
        let breaksKey: Bool
        /// The number of reports before it.
        let reports: Int
        let leaps: Set<Int64>
        /// Of the log's end.
        var unvouched = 0
        var isWitnessed = true
        /// The stored captures that were lost with the log.
        var fromLog: Set<String> = []

        var logIsLess: Bool { changes.contains { $0.file == "outbox.sqlite-wal" && $0.kind != .flipped } }
        var isOfStore: Bool { changes.contains { ["outbox.sqlite", "outbox.sqlite-wal"].contains($0.file) } }
        var removesStore: Bool { changes.contains { $0.file == "outbox.sqlite" && $0.kind == .removed } }
    }

    private mutating func damageFiles(after work: Work, _ outcome: inout Outcome) throws -> Hit {
        let reports = SalvageReport.all(in: state).count
        let breaksKey = !ofStoreOnly && Int.random(in: 0..<3, using: &generator) == 0
        var hit = Hit(breaksKey: breaksKey, reports: reports, leaps: work.leaps)
        var spared: Set<String> = []
        // These files may be in the log's last transactions, which the promise excludes (`LogEnd`).
        if work.isBurst { spared.insert("outbox.sqlite-wal") }
        // Another key is detected by the keyring's file, or by its copy in the store.
        if breaksKey { spared.formUnion(work.isDown && work.submitted >= 3 ? Flips.store : [Flips.keyring]) }
        if !ofStoreOnly { try files.drop(Int.random(in: 0...5, using: &generator)) }
        let end = LogEnd(in: state)
        // `try?`: unreadable after damage that no run has met yet; the log then excuses nothing.
        let stored = (try? LogEnd.ids(in: state, withLog: true)) ?? []
        hit.changes = try damage(state, spared, &generator)
        (hit.unvouched, hit.isWitnessed) = (end.unvouched(), end.isWitnessed)
        // Entries that SQLite still finds are not lost with the log. `try?`: none in an unreadable store or one without tables.
        if hit.logIsLess { hit.fromLog = stored.subtracting((try? LogEnd.ids(in: state, withLog: true)) ?? []) }
        isTouched = isTouched || hit.isOfStore
        if !ofStoreOnly { hit.changes += try files.flip(&generator) }
        for change in hit.changes { outcome.met(change.description) }
        return hit
    }

    // MARK: Restarting

    private mutating func restart(after hit: Hit, _ outcome: inout Outcome) async throws -> Bool {
        try await station.sandbox.up()
        if hit.breaksKey { try await startWithBrokenKey(after: hit, &outcome) }
        let started = ContinuousClock.now
        do { try await station.start() } catch {
            broken("\(hit.changes) kept the daemon from starting: \(error)", &outcome)
            return false
        }
        try await signIn()
        guard try await DamageCampaign.soon({ try await isSettled() }) else {
            broken("entries or files that can be delivered are still waiting after \(hit.changes): \(files.waiting)", &outcome)
            return false
        }
        outcome.worstRecovery = max(outcome.worstRecovery ?? 0, (ContinuousClock.now - started) / .seconds(1))
        try await doubted.formUnion(DamageCampaign.doubted(in: state))
        return true
    }

    private mutating func startWithBrokenKey(after hit: Hit, _ outcome: inout Outcome) async throws {
        let key = try await BrokenKey(of: station, &generator)
        outcome.met(key.isStillRight ? "flipped bytes of homing.key without effect" : "flipped bytes of homing.key")
        for problem in try await key.isRefused() { broken("\(problem), after \(hit.changes)", &outcome) }
        if !key.isStillRight { try key.restore() }
    }

    /// True when nothing can be sent or stored. Claims files that were found without a session.
    private func isSettled() async throws -> Bool {
        // `try?`: no response while the daemon replaces the store.
        guard let status = try? await station.status() else { return false }
        guard status.spool?.unclaimed == 0 else {
            _ = try? await station.client.call(Endpoints.claim, NoInput())
            return false
        }
        return status.backends.map(\.queue).allSatisfy { $0.pending + $0.inflight <= $0.blocked }
            && files.waiting.count <= status.spool?.stuck ?? 0
    }

    // MARK: Accounting

    private mutating func account(for hit: Hit, _ outcome: inout Outcome) async throws {
        let again = secondEffects(&outcome)
        // This backend supports look-ups, so a doubt excuses nothing. Only the log's last transactions do, which may have recorded the claim,
        // unless a report says that more may be missing.
        let isTold = SalvageReport.all(in: state).dropFirst(hit.reports).contains(where: \.mayMissMore)
        if !again.isEmpty, !isTold, again.count <= Self.mostClaimed * hit.unvouched {
            outcome.counted("second effects of entries claimed in the log’s last transactions", again.count)
        } else if !again.isEmpty {
            broken("\(again) took effect again, after \(hit.changes)", &outcome)
        }
        let unaccounted = try await acknowledged.unaccounted(&files, station)
        acknowledged.excused += unaccounted
        let reports = SalvageReport.all(in: state)
        let lost = try await unexcused(unaccounted, after: hit, isTold: isTold, &outcome)
        if !isTouched, reports.count > hit.reports { broken("an undamaged store was recovered, after \(hit.changes)", &outcome) }
        if lost > 0 {
            outcome.lost += lost
            broken("\(lost) captures are missing and no report counts them, after \(hit.changes)", &outcome)
        }
        try await checkReports(reports, after: hit, &outcome)
    }

    /// The entries that took effect again in this life.
    private mutating func secondEffects(_ outcome: inout Outcome) -> [String] {
        let effects = station.sandbox.ledger.duplicates.mapValues(\.count)
        let again = effects.keys.filter { (effects[$0] ?? 0) > (duplicates[$0] ?? 1) }.sorted()
        duplicates = effects
        outcome.duplicated += again.count
        outcome.duplicatedUncertain += again.count { doubted.contains($0) }
        return again
    }

    /// The number of missing captures, or 0 if the promise excludes them.
    private func unexcused(_ missing: Int, after hit: Hit, isTold: Bool, _ outcome: inout Outcome) async throws -> Int {
        guard missing > 0 else { return 0 }
        // A report states the loss, since the part that counts could not be read.
        if isTold, try await !DamageCampaign.leaps(in: state).isSubset(of: hit.leaps) {
            outcome.counted("missing captures, covered by a report that more may be missing", missing)
            return 0
        }
        // Only entries in a cut, zeroed or removed log may be lost. A report says so unless every witness changed too.
        if isTold || !hit.isWitnessed, missing <= acknowledged.missing.intersection(hit.fromLog).count {
            let what =
                isTold ? "missing captures, covered by a report that the log held more" : "captures lost with the log and all its witnesses"
            outcome.counted(what, missing)
            return 0
        }
        // The promise excludes the log's last transactions, with one submission each, if no witness remains or a report says that more may be
        // missing.
        if !hit.logIsLess, missing <= hit.unvouched, isTold || !hit.isWitnessed {
            outcome.counted("lost last transactions of the log", missing)
            return 0
        }
        return missing
    }

    /// Checks that the damage is reported, the damaged files are kept, and each dropped file is stored or refused.
    private func checkReports(_ reports: [SalvageReport], after hit: Hit, _ outcome: inout Outcome) async throws {
        var problems = try await DamageCampaign.unsaid(station)
        let storeIsWhole = reports.isEmpty && Flips.store.isDisjoint(with: hit.changes.map(\.file))
        try await DamageCampaign.patiently { problems += try await files.problems(storeIsWhole: storeIsWhole) }
        for problem in problems { broken("\(problem), after \(hit.changes)", &outcome) }
        for report in reports.dropFirst(hit.reports)
        where !hit.removesStore && !FileManager.default.fileExists(atPath: report.folder + "/outbox.sqlite") {
            broken("the damaged file is missing in \(report.folder)", &outcome)
        }
    }
}
