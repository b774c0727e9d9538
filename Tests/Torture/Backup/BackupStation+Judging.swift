import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

extension BackupStation {
    /// The accepted changes of both backends.
    private var effects: [LedgerEntry] { station.sandbox.ledger.entries + appointments.ledger.entries }

    private static func number(_ id: String) -> Int? { id.hasPrefix("00000000") ? Int(id.suffix(12)) : nil }

    // MARK: After the restore

    /// The restored station has the entries of the backup, and sends nothing before a person resumes, also after a kill.
    ///
    /// - Parameter entries: those that must be there.
    func comesBack(with entries: Set<Int>) async throws {
        let before = effects.count
        try await station.start()
        let rows = try await station.entries()
        let lost = entries.subtracting(rows.compactMap { Self.number($0.id) })
        finding.lost += lost.count
        if !lost.isEmpty { broken("acknowledged before the backup, and not in it: \(lost.sorted())") }
        for report in try await station.status().backends where report.queue.pending > 0 && report.pause == nil {
            broken("\(report.name) has \(report.queue.pending) waiting entries after the restore, and is not paused")
        }
        try await signIn()
        for _ in 1...2 {
            try await station.sync()
            try await Task.sleep(for: .milliseconds(150))
            try await station.end(SIGKILL)
            try await station.start()
        }
        finding.isSentWhilePaused = effects.count > before
        if finding.isSentWhilePaused { broken("\(effects.count - before) entries were sent before a person resumed") }
    }

    /// A person's work after a restore: repeats the discards, resumes, decides, and submits the entries that the server does not have.
    func catchUp() async throws {
        try await signIn()
        for row in try await station.entries() where row.state != "delivered" && row.state != "discarded" {
            guard let number = Self.number(row.id), submitted[number]?.isDiscardAsked == true else { continue }
            _ = try await station.client.call(Endpoints.discard, DiscardRequest(id: row.id))
        }
        let started = ContinuousClock.now
        _ = try await station.client.call(Endpoints.resume, ResumeRequest())
        try await settle()
        finding.recovery = (ContinuousClock.now - started) / .seconds(1)
        let arrived = Set(effects.compactMap(\.clientMutationID))
        let known = Set(try await station.entries().map(\.id))
        let missing = submitted.filter { number, entry in
            let id = Samples.id(number).description
            return !entry.isDiscardAsked && !arrived.contains(id) && !known.contains(id)
        }
        for (number, entry) in missing.sorted(by: { ($0.value.account, $0.key) < ($1.value.account, $1.key) }) {
            if entry.backend == "breathesafe" { try await use(entry.account) }
            await submit(number, entry)
            counted("entries accepted after the backup and submitted again")
        }
        try await settle()
    }

    // MARK: Settling

    /// Waits until everything is delivered or discarded, signs in for each account, and decides about entries on hold.
    func settle() async throws {
        let limit = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < limit {
            let left = try await station.entries().filter { $0.state != "delivered" && $0.state != "discarded" }
            if left.isEmpty { return }
            try await signIn()
            let accounts = Set(left.filter { $0.backend == "breathesafe" }.compactMap { Int($0.account) })
            if let other = accounts.sorted().first, !accounts.contains(account) { try await use(other) }
            try await decide(left.filter { $0.state == "held" || $0.state == "dead" })
            try await station.sync()
            try await Task.sleep(for: .milliseconds(20))
        }
        let left = try await station.entries().filter { $0.state != "delivered" && $0.state != "discarded" }
        let words = left.prefix(3).map { "\($0.id) is \($0.state) \($0.holdReason ?? $0.lastError ?? "")" }
        broken("\(left.count) entries did not settle: \(words.joined(separator: ", "))")
    }

    /// A person looks whether an appointment arrived. All others can be looked up by Homing.
    private func decide(_ rows: [EntrySummary]) async throws {
        guard !rows.isEmpty else { return }
        // No request is under way afterwards.
        await appointments.down()
        let arrived = Set(appointments.ledger.entries.compactMap(\.clientMutationID))
        try await appointments.up()
        let isCareless = flaw == .careless && isRestored
        for row in rows {
            if row.backend == "labloop", row.retryMayDuplicate == true || row.holdReason == "unknownOutcome" {
                let resolution = ResolveRequest(id: row.id, delivered: arrived.contains(row.id) && !isCareless)
                _ = try await station.client.call(Endpoints.resolve, resolution)
                counted("appointments on hold that a person decided")
            } else {
                let retry = RetryRequest(id: row.id, withoutLooking: row.retryMayDuplicate == true)
                _ = try await station.client.call(Endpoints.retry, retry)
            }
        }
    }

    // MARK: At the end

    /// Compares what the clients were told with the backends.
    func judge() async throws {
        let rows = Dictionary(uniqueKeysWithValues: try await station.entries().map { ($0.id, $0) })
        finding.acknowledged = acknowledged.count
        let measurements = submitted.filter { $0.value.backend == "breathesafe" }
        let owners = Dictionary(uniqueKeysWithValues: measurements.map { (Samples.id($0.key).description, $0.value.account) })
        let foreign = station.sandbox.ledger.misattributed(owners: owners).compactMap(\.clientMutationID)
        if !foreign.isEmpty { broken("sent under another account: \(foreign)") }
        if !station.sandbox.ledger.mixed.isEmpty { broken("requests carry the credentials of two accounts") }
        let accounts = owners.mapValues { String($0) }
        for row in rows.values where row.backend == "breathesafe" && accounts[row.id] != row.account {
            broken("entry \(row.id) belongs to account \(row.account)")
        }
        let made = Dictionary(grouping: effects.compactMap(\.clientMutationID), by: \.self).mapValues(\.count)
        for (id, count) in made.sorted(by: { $0.key < $1.key }) where count > 1 {
            finding.duplicated += count - 1
            broken("entry \(id) took effect \(count) times")
        }
        for (number, entry) in submitted.sorted(by: { $0.key < $1.key }) {
            let id = Samples.id(number).description
            let count = made[id] ?? 0
            if entry.isDiscardedUnsent, count > 0 { broken("entry \(number) took effect after it was discarded") }
            if entry.isAcknowledged, !entry.isDiscardAsked, count == 0 { broken("entry \(number) never took effect") }
            if rows[id]?.state == "delivered", count == 0 { broken("entry \(number) is marked as delivered, and has no effect") }
        }
        try await station.end(SIGTERM)
    }
}
