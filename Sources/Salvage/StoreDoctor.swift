import Foundation
import Outbox
import Vault

/// Opens a new, a sound or a damaged store; salvages a damaged one.
package enum StoreDoctor {
    /// Checks the files, then opens or creates the outbox like `Outbox.init`. Salvages a damaged store at most once.
    ///
    /// - Parameter progress: called repeatedly during a salvage, which takes a minute for millions of receipts.
    /// - Returns: the outbox, and the report of the salvage; nil if the store was sound.
    package static func open(
        file: String, vault: Vault, crashed: Bool, maxBytes: Int64 = .max, lookupAfter: TimeInterval = 0, now: Date,
        progress: @escaping () -> Void = {}
    ) throws(OutboxError) -> (outbox: Outbox, report: SalvageReport?) {
        let ballast = Ballast(beside: file)
        let repair = StoreRepair(file: file, vault: vault, now: now, progress: progress)
        func outbox(after report: SalvageReport?) throws(OutboxError) -> Outbox {
            try Outbox(
                file: file, vault: vault, crashed: crashed, isSalvaged: report != nil, maxBytes: maxBytes, lookupAfter: lookupAfter,
                now: now)
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
        } catch {
            throw OutboxError(error)
        }
    }
}
