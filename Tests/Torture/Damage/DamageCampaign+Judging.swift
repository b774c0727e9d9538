import ControlAPI
import Foundation
import GRDB
import Salvage
import StationSupport
import TestSupport

extension DamageCampaign {
    struct Acknowledged {
        /// Submissions, and dropped files once stored.
        var ids: Set<String> = []
        /// Submissions without a response; they may be stored.
        var unanswered: Set<String> = []
        /// Losses that were already reported.
        var excused = 0
        /// The ids that the last check did not find.
        private(set) var missing: Set<String> = []

        /// The number of captures that are neither present nor counted as missing, once the daemon has checked its whole store.
        mutating func unaccounted(_ files: inout DroppedFiles, _ station: TestStation) async throws -> Int {
            var left = 0
            for _ in 1...100 {
                let (rows, receipts) = try await everything(station)
                let (ids, gone) = files.recognise(rows)
                self.ids.formUnion(ids)
                let present = Set(rows.map(\.id) + receipts)
                let reports = SalvageReport.all(in: station.directory("state"))
                let counted = reports.map { $0.missing + $0.lostReceipts }.reduce(0, +)
                // A flipped byte may have changed an id; the entry then has the changed one.
                let renamed = present.subtracting(self.ids).subtracting(unanswered).count
                missing = self.ids.subtracting(present)
                left = missing.count + gone - counted - renamed - excused
                if left <= 0 { return 0 }
                try await Task.sleep(for: .milliseconds(100))
            }
            return left
        }

        private func everything(_ station: TestStation) async throws -> (rows: [EntrySummary], receipts: [String]) {
            var rows: [EntrySummary] = []
            for _ in 1...50 {
                do {
                    rows = try await station.entries()
                    // Of a delivered entry only the receipt may be left.
                    return (rows, try await station.client.call(Endpoints.receipts, ReceiptQuery(limit: 500)).receipts.map(\.id))
                } catch { try await Task.sleep(for: .milliseconds(50)) }
            }
            return (rows, [])
        }
    }

    /// Checks that the status reports damaged stores first, in text, in JSON and by exit code.
    static func unsaid(_ station: TestStation) async throws -> [String] {
        var problems: [String] = []
        // The daemon does not respond while it replaces a store in which it finds damage only now.
        _ = try await soon {
            problems = []
            let count = SalvageReport.all(in: station.directory("state")).count
            if count == 0 { return true }
            let (short, long) = (try await station.homing("check"), try await station.homing("status"))
            for (code, right, text, beginning) in [
                (short.code, 2, short.text, "HOMING CRITICAL - The store was damaged on "),
                (long.code, 6, long.text, "The store was damaged on "),
            ] where code != right || !text.hasPrefix(beginning) {
                problems.append("the store was damaged, but the status exits with \(code) and says ‘\(text)’")
            }
            // `try?`: `soon` tries again.
            guard let codes = (try? await station.status())?.attention.map(\.code) else { return false }
            if codes.count(where: { $0 == "store-damaged" }) != count || !codes.prefix(count).allSatisfy({ $0 == "store-damaged" }) {
                problems.append("\(count) stores were damaged, but the status reports \(codes)")
            }
            return problems.isEmpty
        }
        return problems
    }

    static func doubted(in state: String) async throws -> Set<String> {
        try await read(state) { db in
            let noted = """
                SELECT id FROM entry WHERE uncertain
                UNION SELECT entry FROM event WHERE entry NOT NULL
                    AND (kind = 'recovered' OR CASE WHEN kind = 'held' AND json_valid(detail) THEN detail ->> 'reason' = 'unreadable' END)
                """
            return try String.fetchSet(db, sql: noted)
        }
    }

    /// When sequences skipped far ahead because the last number was unknown (Unix milliseconds).
    static func leaps(in state: String) async throws -> Set<Int64> {
        try await read(state) { try Int64.fetchSet($0, sql: "SELECT at FROM gap WHERE last - first >= 999999") }
    }

    private static func read<T: Sendable>(_ state: String, _ work: @escaping @Sendable (Database) throws -> T) async throws -> T {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        var found: T?
        // Fails while the daemon replaces the store.
        try await patiently {
            let queue = try DatabaseQueue(path: state + "/outbox.sqlite", configuration: configuration)
            found = try await queue.read(work)
            try queue.close()
        }
        guard let found else { throw StationError("the store of \(state) cannot be read") }
        return found
    }
}
