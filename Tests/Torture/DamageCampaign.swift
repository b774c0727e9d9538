import ControlAPI
import Delivery
import Foundation
import GRDB
import Outbox
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// Flips bytes in everything that a station keeps, between two runs of its daemon. Whatever was acknowledged is there afterwards, or held, or
/// counted as missing while the damaged files are kept; and the daemon always starts.
struct DamageCampaign: RoundCampaign {
    static let name = "damage"

    /// One station, damaged a few times in its life.
    func round(seed: UInt64, _ outcome: inout Outcome) async throws {
        try await live(seed: seed, &outcome) { try Self.flip(in: $0, &$1) }
    }

    func control(seed: UInt64, _ outcome: inout Outcome) async throws {
        // A store that is gone, with all that was to be salvaged from it: nobody counts what it held.
        var control = Outcome(Self.name, seed: seed)
        try await live(seed: seed, &control) { state, _ in
            for name in ["outbox.sqlite", "outbox.sqlite-wal", "outbox.sqlite-shm"] {
                // `try?`: an orderly end leaves the store alone.
                try? FileManager.default.removeItem(atPath: "\(state)/\(name)")
            }
            return ["outbox.sqlite"]
        }
        outcome.controlled(without: "the damaged store, from which to salvage", failedAsItShould: control.lost > 0)
    }

    /// - Parameter damage: what happens in the state directory between two runs; the names of the files that it befell.
    private func live(
        seed: UInt64, _ outcome: inout Outcome, damage: (_ state: String, inout SplitMix64) throws -> [String]
    ) async throws {
        var generator = SplitMix64(seed: seed)
        let station = try await TestStation()
        defer { Task { await station.sandbox.stop() } }
        let state = station.directory("state")
        var acknowledged: Set<String> = []
        var number = 0
        // Told of already.
        var excused = 0
        var doubted: Set<String> = []
        var duplicates: Set<String> = []
        try await station.start()
        for life in 1...4 {
            try await Self.patiently { try await Self.signIn(station) }
            if Bool.random(using: &generator) { await station.sandbox.down() }
            for _ in 0..<Int.random(in: 1...40, using: &generator) {
                number += 1
                // `try?`: what was refused was not acknowledged.
                if (try? await station.submit(user: 5 + number % 4, id: number)) == nil { break }
                acknowledged.insert(Samples.id(number).description)
            }
            try await station.end(Bool.random(using: &generator) ? SIGKILL : SIGTERM)
            let before = SalvageReport.all(in: state).count
            let damaged = try damage(state, &generator)
            for name in damaged { outcome.met("flipped bytes of \(name)") }
            try await station.sandbox.up()
            let started = ContinuousClock.now
            do { try await station.start() } catch {
                outcome.failures.append("life \(life): \(damaged) kept the daemon from starting: \(error)")
                return
            }
            try await Self.patiently { try await Self.signIn(station) }
            guard try await Self.soon({ try await Self.isSettled(station) }) else {
                outcome.failures.append("life \(life): what can be sent still waits, after \(damaged)")
                return
            }
            outcome.worstRecovery = max(outcome.worstRecovery ?? 0, (ContinuousClock.now - started) / .seconds(1))
            try await doubted.formUnion(Self.doubted(in: state))
            for id in station.sandbox.ledger.duplicates.keys.sorted() where duplicates.insert(id).inserted {
                outcome.duplicated += 1
                if doubted.contains(id) { outcome.duplicatedUncertain += 1 }
                // The limit of the promise again: the log's last transaction may have been what said that it was about to be sent.
                if !doubted.contains(id), !damaged.contains("outbox.sqlite-wal") {
                    outcome.failures.append("life \(life): \(id) took effect again and no doubt was noted, after \(damaged)")
                }
            }
            var unaccounted = try await unaccounted(acknowledged, excused, station)
            excused += unaccounted
            let reports = SalvageReport.all(in: state)
            // Said in so many words, of this damage and of none that comes later.
            if reports.dropFirst(before).contains(where: \.mayMissMore) { unaccounted = 0 }
            // The limit of the promise (Decisions/DamagedStore): the log's last transaction, which held the last submission.
            if unaccounted == 1, damaged.contains("outbox.sqlite-wal") {
                outcome.counted("last transactions of the log lost")
                unaccounted = 0
            }
            if unaccounted > 0 {
                outcome.lost += unaccounted
                outcome.failures.append("life \(life): \(unaccounted) are gone and not counted, after \(damaged)")
            }
            for report in reports where !FileManager.default.fileExists(atPath: report.folder + "/outbox.sqlite") {
                outcome.failures.append("life \(life): \(report.folder) lacks the damaged file")
            }
        }
        outcome.acknowledged += number
        try await station.end(SIGTERM)
    }

    /// Signs in where the damage has cost the session.
    private static func signIn(_ station: TestStation) async throws {
        if try await station.status().backends.allSatisfy({ $0.session.state != "signedIn" }) { try await station.login() }
    }

    /// How many are neither there nor counted as missing, once the daemon has read its store through.
    private func unaccounted(_ acknowledged: Set<String>, _ excused: Int, _ station: TestStation) async throws -> Int {
        var left = 0
        for _ in 1...100 {
            let present = Set(try await everything(station))
            let reports = SalvageReport.all(in: station.directory("state"))
            let counted = reports.map { $0.missing + $0.lostReceipts }.reduce(0, +)
            // What flipped may be an id: then its entry is held, or was delivered, under the one that it has become.
            let renamed = present.subtracting(acknowledged).count
            left = acknowledged.subtracting(present).count - counted - renamed - excused
            if left <= 0 { return 0 }
            try await Task.sleep(for: .milliseconds(100))
        }
        return left
    }

    /// Flips a few bytes of a few files, but for the key, without which a start is refused; the names of those files.
    private static func flip(in state: String, _ generator: inout SplitMix64) throws -> [String] {
        let names = [
            "outbox.sqlite", "outbox.sqlite-wal", "outbox.sqlite-shm", "sessions/breathesafe.session", "device-id", "crashed", "lock",
            "homing.key.check",
        ]
        let chosen = names.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
        return try chosen.filter { name in
            let file = URL(fileURLWithPath: state + "/" + name)
            guard FileManager.default.fileExists(atPath: file.path) else { return false }
            var content = try Data(contentsOf: file)
            guard !content.isEmpty else { return false }
            for _ in 0..<Int.random(in: 1...16, using: &generator) {
                content[Int.random(in: 0..<content.count, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
            }
            try content.write(to: file)
            return true
        }
    }

    /// Whether nothing waits that can be sent.
    private static func isSettled(_ station: TestStation) async throws -> Bool {
        // `try?`: while the store is exchanged nobody answers.
        guard let backends = try? await station.status().backends else { return false }
        return backends.map(\.queue).allSatisfy { $0.pending + $0.inflight <= $0.blocked }
    }

    /// The entries of which it was noted that they may have taken effect before.
    private static func doubted(in state: String) async throws -> Set<String> {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        var ids: Set<String> = []
        // While the store is exchanged there is none to be read.
        try await patiently {
            let noted = """
                SELECT id FROM entry WHERE uncertain
                UNION SELECT entry FROM event WHERE entry NOT NULL
                    AND (kind = 'recovered' OR CASE WHEN json_valid(detail) THEN detail ->> 'reason' = 'quarantine' END)
                """
            let queue = try DatabaseQueue(path: state + "/outbox.sqlite", configuration: configuration)
            ids = try await queue.read { try String.fetchSet($0, sql: noted) }
            try queue.close()
        }
        return ids
    }

    private func everything(_ station: TestStation) async throws -> [String] {
        var ids: [String] = []
        for _ in 1...50 {
            do {
                ids = try await station.entries().map(\.id)
                // Of what was delivered the receipt alone may be left, as after the time for which entries are kept.
                return ids + (try await station.client.call(Endpoints.receipts, ReceiptQuery(limit: 500)).receipts.map(\.id))
            } catch { try await Task.sleep(for: .milliseconds(50)) }
        }
        return ids
    }
}
