import Foundation
import Logging
import Outbox
import Roster
import ServiceLifecycle
import SyncModel

/// Prunes old entries and lists, and verifies the store, at start and daily; truncates the WAL after writes and sign-outs; destroys
/// discarded content in time.
struct Housekeeping: Service {
    let outbox: Outbox
    let rosters: RosterKeeper
    let keepDelivered: TimeInterval
    let clock: any SyncClock
    let log: Logger

    /// Seconds that deleted data may stay in the WAL: long enough to cost nothing under load.
    static let logKept: TimeInterval = 10

    /// Seconds that a list is kept after its last read, if its account does not sign in again: 30 days.
    static let listsKept: TimeInterval = 30 * 86_400

    /// The longest retry pause in seconds, while the disk is full or a reader is active.
    private static let longestPause: TimeInterval = 320

    func run() async throws {
        await untilShutdown {
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { try await cleanDaily() }
                group.addTask { try await emptyLogAfterWork() }
                group.addTask { await emptyLogOfSecrets() }
                group.addTask { try await destroyDiscarded() }
            }
        }
    }

    private func cleanDaily() async throws {
        while true {
            do {
                let now = clock.now
                try await outbox.forgetKeptRosters(readBefore: now.addingTimeInterval(-Self.listsKept), at: now)
                try await outbox.prune(before: now.addingTimeInterval(-keepDelivered), at: now)
            } catch {
                log.warning("Old delivered entries, or old lists, could not be removed", metadata: ["error": "\(error)"])
            }
            // `try?`: damage ends the run; other read errors are retried tomorrow.
            try? await outbox.verify()
            await deleteUnreadableRosters()
            await holdUnreadableEntries()
            try await sleep(86_400)
        }
    }

    private func holdUnreadableEntries() async {
        // `try?`: as for `verify`.
        try? await outbox.verifyContents(at: clock.now) { id in
            log.error("A capture is on hold: its stored data cannot be read", metadata: ["id": "\(id)"])
        }
    }

    private func deleteUnreadableRosters() async {
        // `try?`: as for `verify`.
        for roster in (try? await outbox.verifyRosters()) ?? [] {
            log.warning(
                "A cached list could not be read and was deleted; Homing reads it again",
                metadata: ["backend": "\(roster.destination.backend)", "resource": "\(roster.resource)"])
            rosters.lost(roster)
        }
    }

    private func emptyLogAfterWork() async throws {
        for await _ in outbox.eventsWritten.listen() {
            var isEmpty: Bool
            var pause = Self.logKept
            repeat {
                try await sleep(pause)
                pause = min(2 * pause, Self.longestPause)
                // `try?`: the next write fails for the same reason and reports it.
                isEmpty = (try? await outbox.emptyLog()) ?? true
            } while !isEmpty
        }
    }

    /// Removes deleted secrets from the WAL too.
    private func emptyLogOfSecrets() async {
        for await _ in outbox.secretsDeleted.listen() {
            // `try?`: `emptyLogAfterWork` retries, because each of these changes signals `eventsWritten` too.
            _ = try? await outbox.emptyLog()
        }
    }

    /// Destroys content at each due discard. A completed sleep counts, even if the clock was set back.
    private func destroyDiscarded() async throws {
        var end = Date.distantPast
        while true {
            // Before the read, so that no discard is missed.
            let news = outbox.discardsPlanned.listen()
            let now = max(clock.now, end)
            let next = await discardDue(at: now)
            end = try await clock.isReached(next, from: now, unless: news) ? next ?? end : .distantPast
        }
    }

    /// When the next is due; nil for never.
    private func discardDue(at now: Date) async -> Date? {
        do { return try await outbox.discardDue(at: now) } catch {
            if Task.isCancelled { return nil }
            log.warning("Discarded entries could not be destroyed; will retry", metadata: ["error": "\(error)"])
            return now.addingTimeInterval(Self.longestPause)
        }
    }

    private func sleep(_ seconds: TimeInterval) async throws {
        let now = clock.now
        try await clock.sleep(from: now, until: now.addingTimeInterval(seconds))
    }
}
