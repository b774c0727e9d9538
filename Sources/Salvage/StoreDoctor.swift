import Foundation
import Outbox
import SyncModel
import Vault

package enum StoreDoctor {
    /// True if a salvage was interrupted. The next start puts its result in the place of the store.
    package static func isSalvaging(_ file: String) -> Bool { StoreRepair.isPending(beside: file) }

    /// Checks the files, then opens or creates the outbox like `Outbox.init`. Salvages a damaged store at most once, which takes a minute
    /// for millions of receipts, and returns the report.
    package static func open(
        file: String, vault: Vault, crashed: Bool, maxBytes: Int64 = .max, lookupAfter: TimeInterval = 0, now: Date,
        progress: @escaping () -> Void = {}
    ) throws(OutboxError) -> (outbox: Outbox, report: SalvageReport?) {
        do {
            return try open(
                file: file, vault: vault, crashed: crashed, maxBytes: maxBytes, lookupAfter: lookupAfter, now: now, progress: progress,
                permit: {})
        } catch {
            throw OutboxError(error)
        }
    }

    /// Opens the store, and calls `permit` before a salvage. If that throws, leaves the damaged store unchanged, and throws that error. For
    /// `traits` see `Outbox.init`.
    package static func open(
        file: String, vault: Vault, crashed: Bool, maxBytes: Int64 = .max, lookupAfter: TimeInterval = 0, now: Date,
        progress: @escaping () -> Void = {}, traits: @escaping (_ backend: String, _ route: String) -> RouteTraits? = { _, _ in nil },
        permit: @escaping () throws -> Void
    ) throws -> (outbox: Outbox, report: SalvageReport?) {
        let ballast = Ballast(beside: file)
        let repair = StoreRepair(file: file, vault: vault, now: now, progress: progress, permit: permit)
        func outbox(after report: SalvageReport?) throws(OutboxError) -> Outbox {
            try Outbox(
                file: file, vault: vault, crashed: crashed, isSalvaged: report != nil, maxBytes: maxBytes, lookupAfter: lookupAfter,
                now: now, traits: traits)
        }
        do {
            if let report = try ballast.withReserve(repair.prepare) { return (try outbox(after: report), report) }
            let reason: String
            do { return (try outbox(after: nil), nil) } catch {
                guard case .damaged(let words) = error else { throw error }
                reason = words
            }
            let report = try ballast.withReserve { try repair.salvage(because: reason) }
            return (try outbox(after: report), report)
        } catch let refusal as StoreRepair.Refusal {
            throw refusal.cause
        } catch {
            throw OutboxError(error)
        }
    }
}
