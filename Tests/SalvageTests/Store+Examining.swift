import Foundation
import Outbox
import Salvage
import StoreSupport
import TestSupport
import Vault

extension Store {
    /// Opens the file again, like the next run of the daemon. Returns the report of a salvage.
    @discardableResult
    mutating func examine(progress: @escaping () -> Void = {}) throws -> SalvageReport? {
        let (outbox, report) = try StoreDoctor.open(
            file: directory("outbox.sqlite"), vault: Vault(key: key), crashed: false, now: clock.now, progress: progress)
        self.outbox = outbox
        return report
    }
}
