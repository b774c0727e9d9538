import ControlAPI
import Foundation
import Salvage
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// Damages a station's files between two runs of its daemon. Afterwards every acknowledged capture is present, held, or counted as missing, and the
/// damaged files are kept. The daemon always starts, except with another key, which it refuses without changing anything.
struct DamageCampaign: RoundCampaign {
    static let name = "damage"

    /// The daemon's default for one transaction.
    private static let mostClaimed = 4

    /// Damages a state directory, except the spared files.
    private typealias Damage = (_ state: String, _ sparing: Set<String>, inout SplitMix64) throws -> [Change]

    func round(seed: UInt64, _ outcome: inout Outcome) async throws {
        try await live(seed: seed, keepsWhatFails: true, &outcome) { try Flips.inState($0, sparing: $1, &$2) }
    }

    func control(seed: UInt64, _ outcome: inout Outcome) async throws {
        // Removes the whole store, so that nothing counts its entries.
        var control = Outcome(Self.name, seed: seed)
        try await live(seed: seed, ofStoreOnly: true, &control) { state, _, _ in
            for name in Flips.store {
                // `try?`: an orderly stop leaves only the store itself.
                try? FileManager.default.removeItem(atPath: "\(state)/\(name)")
            }
            return [Change(file: "outbox.sqlite", kind: .removed)]
        }
        outcome.controlled(without: "the damaged store to recover from", failedAsItShould: control.lost > 0)
        var robbed = Outcome(Self.name, seed: seed)
        try await live(seed: seed, &robbed) { state, _, _ in
            let folder = state + "/spool/new/users/9"
            // `try?`: there is no folder before the first file.
            guard let file = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.min() else { return [] }
            try FileManager.default.removeItem(atPath: "\(folder)/\(file)")
            return [Change(file: "spool/new", kind: .removed)]
        }
        outcome.controlled(without: "a dropped file", failedAsItShould: robbed.lost > 0)
    }

    /// - Parameters:
    ///   - ofStoreOnly: touch neither the key nor dropped files.
    ///   - keepsWhatFails: keep the directory after a failure, which the same seed may not reproduce.
    private func live(
        seed: UInt64, ofStoreOnly: Bool = false, keepsWhatFails: Bool = false, _ outcome: inout Outcome, damage: Damage
    ) async throws {
        var generator = SplitMix64(seed: seed)
        let station = try await TestStation()
        let failed = outcome.failures.count
        defer {
            if keepsWhatFails, outcome.failures.count > failed {
                station.directory.keep()
                outcome.failures[failed] += "  Kept: \(station.directory.path)"
            }
            Task { await station.sandbox.stop() }
        }
        let state = station.directory("state")
        var acknowledged = Acknowledged()
        var files = DroppedFiles(at: station)
        var number = 0
        var doubted: Set<String> = []
        var isTouched = false
        var duplicates: [String: Int] = [:]
        try await station.start()
        for life in 1...4 {
            func broken(_ what: String) { outcome.failures.append("life \(life): \(what)") }
            try await Self.patiently { try await Self.signIn(station) }
            let isDown = Bool.random(using: &generator)
            if isDown { await station.sandbox.down() }
            let first = number
            for _ in 0..<Int.random(in: 1...40, using: &generator) {
                number += 1
                // `try?`: a refused submission was not acknowledged.
                if (try? await station.submit(user: 5 + number % 4, id: number)) == nil {
                    acknowledged.unanswered.insert(Samples.id(number).description)
                    break
                }
                acknowledged.ids.insert(Samples.id(number).description)
            }
            let isBurst = !ofStoreOnly && Bool.random(using: &generator)
            if isBurst { try await files.dropUntilTaken(Int.random(in: 8...24, using: &generator)) }
            let leaps = try await Self.leaps(in: state)
            try await station.end(isBurst || Bool.random(using: &generator) ? SIGKILL : SIGTERM)

            let before = SalvageReport.all(in: state).count
            let breaksKey = !ofStoreOnly && Int.random(in: 0..<3, using: &generator) == 0
            var spared: Set<String> = []
            // These files may be in the log's last transactions, which the promise excludes (`LogEnd`).
            if isBurst { spared.insert("outbox.sqlite-wal") }
            // Another key is detected by the key's check, or by entries sealed with the right key.
            if breaksKey { spared.formUnion(isDown && number - first >= 3 ? Flips.store : ["homing.key.check"]) }
            if !ofStoreOnly { try files.drop(Int.random(in: 0...5, using: &generator)) }
            let end = LogEnd(in: state)
            // `try?`: unreadable after damage that no run has met yet; the log then excuses nothing.
            let stored = (try? LogEnd.ids(in: state, withLog: true)) ?? []
            var damaged = try damage(state, spared, &generator)
            let (unvouched, isWitnessed) = (end.unvouched(), end.isWitnessed)
            let logIsLess = damaged.contains { $0.file == "outbox.sqlite-wal" && $0.kind != .flipped }
            // Entries that SQLite still finds are not lost with the log. `try?`: none in an unreadable store or one without tables.
            let fromLog = logIsLess ? stored.subtracting((try? LogEnd.ids(in: state, withLog: true)) ?? []) : []
            isTouched = isTouched || damaged.contains { ["outbox.sqlite", "outbox.sqlite-wal"].contains($0.file) }
            if !ofStoreOnly { damaged += try files.flip(&generator) }
            for change in damaged { outcome.met(change.description) }
            try await station.sandbox.up()
            if breaksKey {
                let key = try await BrokenKey(of: station, &generator)
                outcome.met(key.isStillRight ? "flipped bytes of homing.key without effect" : "flipped bytes of homing.key")
                for problem in try await key.isRefused() { broken("\(problem), after \(damaged)") }
                if !key.isStillRight { try key.restore() }
            }
            let started = ContinuousClock.now
            do { try await station.start() } catch { return broken("\(damaged) kept the daemon from starting: \(error)") }
            try await Self.patiently { try await Self.signIn(station) }
            guard try await Self.soon({ try await Self.isSettled(station, files) }) else {
                return broken("entries or files that can be delivered are still waiting after \(damaged): \(files.waiting)")
            }
            outcome.worstRecovery = max(outcome.worstRecovery ?? 0, (ContinuousClock.now - started) / .seconds(1))
            try await doubted.formUnion(Self.doubted(in: state))
            let effects = station.sandbox.ledger.duplicates.mapValues(\.count)
            let again = effects.keys.filter { (effects[$0] ?? 0) > (duplicates[$0] ?? 1) }.sorted()
            duplicates = effects
            outcome.duplicated += again.count
            outcome.duplicatedUncertain += again.count { doubted.contains($0) }
            // This backend supports look-ups, so a doubt excuses nothing. Only the log's last transactions do, which may have recorded the claim,
            // unless a report says that more may be missing.
            let isTold = SalvageReport.all(in: state).dropFirst(before).contains(where: \.mayMissMore)
            if !again.isEmpty, !isTold, again.count <= Self.mostClaimed * unvouched {
                outcome.counted("second effects of entries claimed in the log’s last transactions", again.count)
            } else if !again.isEmpty {
                broken("\(again) took effect again, after \(damaged)")
            }
            var unaccounted = try await acknowledged.unaccounted(&files, station)
            acknowledged.excused += unaccounted
            let reports = SalvageReport.all(in: state)
            // A report states the loss, since the part that counts could not be read.
            if unaccounted > 0, isTold, try await !Self.leaps(in: state).isSubset(of: leaps) {
                outcome.counted("missing captures, covered by a report that more may be missing", unaccounted)
                unaccounted = 0
            }
            // Only entries in a cut, zeroed or removed log may be lost. A report says so unless every witness changed too.
            if unaccounted > 0, isTold || !isWitnessed, unaccounted <= acknowledged.missing.intersection(fromLog).count {
                let what =
                    isTold
                    ? "missing captures, covered by a report that the log held more" : "captures lost with the log and all its witnesses"
                outcome.counted(what, unaccounted)
                unaccounted = 0
            }
            // The promise excludes the log's last transactions, with one submission each, if no witness remains or a report says that more may be
            // missing.
            if unaccounted > 0, !logIsLess, unaccounted <= unvouched, isTold || !isWitnessed {
                outcome.counted("lost last transactions of the log", unaccounted)
                unaccounted = 0
            }
            if !isTouched, reports.count > before { broken("an undamaged store was recovered, after \(damaged)") }
            if unaccounted > 0 {
                outcome.lost += unaccounted
                broken("\(unaccounted) captures are missing and no report counts them, after \(damaged)")
            }
            var problems = try await Self.unsaid(station)
            let storeIsWhole = reports.isEmpty && Flips.store.isDisjoint(with: damaged.map(\.file))
            try await Self.patiently { problems += try await files.problems(storeIsWhole: storeIsWhole) }
            for problem in problems { broken("\(problem), after \(damaged)") }
            let isRemoved = damaged.contains { $0.file == "outbox.sqlite" && $0.kind == .removed }
            for report in reports.dropFirst(before)
            where !isRemoved && !FileManager.default.fileExists(atPath: report.folder + "/outbox.sqlite") {
                broken("the damaged file is missing in \(report.folder)")
            }
        }
        outcome.acknowledged += number + files.count
        let reports = SalvageReport.all(in: state)
        outcome.counted("stores recovered", reports.count)
        outcome.counted("captures on hold because they could not be read completely", reports.map(\.quarantined).reduce(0, +))
        outcome.counted("missing captures that a report counts", reports.map { $0.missing + $0.lostReceipts }.reduce(0, +))
        try await station.end(SIGTERM)
    }

    private static func signIn(_ station: TestStation) async throws {
        if try await station.status().backends.allSatisfy({ $0.session.state != "signedIn" }) { try await station.login() }
    }

    /// True when nothing can be sent or stored. Claims files that were found without a session.
    private static func isSettled(_ station: TestStation, _ files: DroppedFiles) async throws -> Bool {
        // `try?`: no response while the daemon replaces the store.
        guard let status = try? await station.status() else { return false }
        guard status.spool?.unclaimed == 0 else {
            _ = try? await station.client.call(Endpoints.claim, NoInput())
            return false
        }
        return status.backends.map(\.queue).allSatisfy { $0.pending + $0.inflight <= $0.blocked }
            && files.waiting.count <= status.spool?.stuck ?? 0
    }
}
