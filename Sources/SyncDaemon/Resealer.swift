import ControlAPI
import Foundation
import Logging
import Outbox
import ServiceLifecycle
import SyncModel
import Vault

/// Seals all data again after the data key has changed, and then drops the earlier data keys. An interrupted run begins again at the next
/// start.
struct Resealer: Service {
    let keys: KeyKeeper
    let outbox: Outbox
    let clock: any SyncClock
    let log: Logger

    /// Seconds until the next try, for example on a full disk.
    private static let pause: TimeInterval = 320

    func run() async throws {
        await untilShutdown {
            // Before the first look, so that no change is missed.
            let news = keys.changed.listen()
            try await resealAll()
            for await _ in news { try await resealAll() }
        }
    }

    /// Returns when no earlier data key is left, or a new master key waits for its installation.
    func resealAll() async throws {
        var rows = 0
        while keys.hasEarlier {
            do {
                if try await isDone(&rows) { return }
            } catch {
                keys.note(left: nil)
                try Task.checkCancellation()
                log.warning("The data could not be sealed again; will retry", metadata: ["error": "\(error)"])
                let now = clock.now
                try await clock.sleep(from: now, until: now.addingTimeInterval(Self.pause))
            }
        }
    }

    /// One pass; false if there must be another one.
    private func isDone(_ rows: inout Int) async throws -> Bool {
        let generation = keys.vault.generation
        let pass = try await outbox.reseal { keys.note(left: $0) }
        rows += pass.rows
        // A row may have changed during the pass, so the last one must find nothing.
        if pass.rows > 0 { return false }
        keys.note(left: nil)
        for (table, count) in pass.unreadable.sorted(by: { $0.key < $1.key }) {
            log.error(
                "Stored rows open with no key, so they are damaged; they were left as they are",
                metadata: ["table": "\(table)", "count": "\(count)"])
        }
        // The rows must be in the file itself: a lost log would bring back rows that only the earlier keys open. `try?`: only a precaution.
        _ = try? await outbox.emptyLog()
        guard try keys.forgetEarlier(of: generation, in: outbox) else { return keys.report.isPending }
        // Before the report, so that earlier keys open nothing in the log either. `try?`: Housekeeping tries again.
        _ = try? await outbox.emptyLog()
        try await outbox.record([SyncEvent(at: clock.now, .resealed, detail: ["rows": String(rows)])])
        log.notice("All data is sealed with the new key", metadata: ["rows": "\(rows)"])
        return true
    }
}
