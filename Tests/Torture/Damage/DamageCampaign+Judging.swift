import ControlAPI
import Foundation
import GRDB
import Outbox
import StationSupport
import TestSupport

extension DamageCampaign {
    /// What was acknowledged, and what of it is known to be gone.
    struct Acknowledged {
        /// Of what was handed in, and of dropped files once they are stored.
        var ids: Set<String> = []
        /// Handed in, and perhaps stored all the same.
        var unanswered: Set<String> = []
        /// Told of already.
        var excused = 0
        /// Of those that were looked for last, the ones that were not there.
        private(set) var missing: Set<String> = []

        /// How many are neither there nor counted as missing, once the daemon has read its store through.
        mutating func unaccounted(_ files: inout DroppedFiles, _ station: TestStation) async throws -> Int {
            var left = 0
            for _ in 1...100 {
                let (rows, receipts) = try await everything(station)
                let (ids, gone) = files.recognise(rows)
                self.ids.formUnion(ids)
                let present = Set(rows.map(\.id) + receipts)
                let reports = SalvageReport.all(in: station.directory("state"))
                let counted = reports.map { $0.missing + $0.lostReceipts }.reduce(0, +)
                // What flipped may be an id: then its entry is held, or was delivered, under the one that it has become.
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
                    // Of what was delivered the receipt alone may be left, as after the time for which entries are kept.
                    return (rows, try await station.client.call(Endpoints.receipts, ReceiptQuery(limit: 500)).receipts.map(\.id))
                } catch { try await Task.sleep(for: .milliseconds(50)) }
            }
            return (rows, [])
        }
    }

    /// What the status leaves unsaid of stores that were damaged: it says so first, for people, for programs and by exit code.
    static func unsaid(_ station: TestStation) async throws -> [String] {
        var problems: [String] = []
        // Where damage shows only now, the store is exchanged meanwhile, and nobody answers.
        _ = try await soon {
            problems = []
            let count = SalvageReport.all(in: station.directory("state")).count
            if count == 0 { return true }
            let (short, long) = (try await station.homing("status", "--check"), try await station.homing("status"))
            for (code, text, beginning) in [
                (short.code, short.text, "HOMING ATTENTION - The store was damaged on "),
                (long.code, long.text, "The store was damaged on "),
            ] where code != 6 || !text.hasPrefix(beginning) {
                problems.append("the store was damaged, and the status ends with \(code) and says ‘\(text)’")
            }
            // `try?`: asked again.
            guard let codes = (try? await station.status())?.attention.map(\.code) else { return false }
            if codes.count(where: { $0 == "store-damaged" }) != count || !codes.prefix(count).allSatisfy({ $0 == "store-damaged" }) {
                problems.append("\(count) stores were damaged, and the status says \(codes)")
            }
            return problems.isEmpty
        }
        return problems
    }

    /// The entries of which it was noted that they may have taken effect before.
    static func doubted(in state: String) async throws -> Set<String> {
        try await read(state) { db in
            let noted = """
                SELECT id FROM entry WHERE uncertain
                UNION SELECT entry FROM event WHERE entry NOT NULL
                    AND (kind = 'recovered' OR CASE WHEN json_valid(detail) THEN detail ->> 'reason' = 'quarantine' END)
                """
            return try String.fetchSet(db, sql: noted)
        }
    }

    /// When sequences went on far behind those that were given, for want of knowing which was the last (Unix milliseconds).
    static func leaps(in state: String) async throws -> Set<Int64> {
        try await read(state) { try Int64.fetchSet($0, sql: "SELECT at FROM gap WHERE last - first >= 999999") }
    }

    private static func read<T: Sendable>(_ state: String, _ work: @escaping @Sendable (Database) throws -> T) async throws -> T {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        var found: T?
        // While the store is exchanged there is none to be read.
        try await patiently {
            let queue = try DatabaseQueue(path: state + "/outbox.sqlite", configuration: configuration)
            found = try await queue.read(work)
            try queue.close()
        }
        guard let found else { throw StationError("the store of \(state) cannot be read") }
        return found
    }
}
