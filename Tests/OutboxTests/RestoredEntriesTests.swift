import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing
import Vault

@testable import Outbox

/// An entry that waited when a backup was made may have been delivered since.
@Suite struct RestoredEntriesTests {
    private static let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)
    private static let traits = [
        "measurement": RouteTraits(canLookUp: true, isAtMostOnce: false),
        "profile": RouteTraits(canLookUp: false, isAtMostOnce: false, isRepeatable: true),
        "fit_test": RouteTraits(canLookUp: false, isAtMostOnce: false),
        "create": RouteTraits(canLookUp: false, isAtMostOnce: true),
    ]

    private func mutation(_ number: Int, _ route: String, creates: String? = nil, for create: Int? = nil) -> Mutation {
        var mutation = Samples.mutation(number, lane: "\(route)/\(number)")
        mutation.route = route
        mutation.creates = creates
        mutation.subject = create.map { RosterID(createdBy: Samples.id($0)) }
        mutation.reference = create.map { _ in "people" }
        return mutation
    }

    /// Backs up the store, restores it after a day, and opens the restored one.
    private func restored(_ store: Store) async throws -> (store: Store, entries: RestoredEntries) {
        try store.keepKeyring()
        let copy = try await store.outbox.backUp(of: "station-1", version: "1.2", by: "uid 0, pid 7", at: store.clock.now)
        var data = Data()
        while case let part = try copy.next(), !part.isEmpty { data.append(contentsOf: part) }
        try store.outbox.close()
        for name in try store.directory.names { try FileManager.default.removeItem(atPath: store.directory(name)) }
        try data.write(to: URL(fileURLWithPath: store.directory("backup")))
        store.clock.advance(by: 86_400)
        let source = try #require(FileHandle(forReadingAtPath: store.directory("backup")))
        let restored = try RestoredStore(
            copying: source, beside: store.directory("outbox.sqlite"), openedBy: store.key)
        let entries = try restored.mark(at: store.clock.now, by: "uid 0, pid 9") { Self.traits[$0 == "breathesafe" ? $1 : ""] }
        try restored.install()
        var again = store
        try again.restart()
        #expect(try await again.outbox.derivedTablesMatch())
        return (again, entries)
    }

    private func entry(_ store: Store, _ number: Int) async throws -> Entry {
        try #require(try await store.outbox.entry(Samples.id(number))?.entry)
    }

    /// An entry that was discarded or fixed after the backup is waiting again.
    @Test(arguments: [("measurement", true), ("profile", true), ("fit_test", false)])
    func entryIsNotSentBeforeAPersonResumes(route: String, isPaused: Bool) async throws {
        let store = try Store()
        try await store.enqueue(mutation(1, route))
        let pauses = try await restored(store).store.outbox.pauses()
        #expect(pauses.keys.sorted() == (isPaused ? ["breathesafe"] : []))
        #expect(pauses.values.allSatisfy { $0.until == nil })
    }

    @Test(arguments: ["measurement", "profile"]) func entryIsUncertainSinceTheBackup(route: String) async throws {
        let store = try Store()
        let backup = store.clock.now
        try await store.enqueue(mutation(1, route))
        let (again, entries) = try await restored(store)
        #expect(entries == (route == "measurement" ? RestoredEntries(lookedUp: 1) : RestoredEntries(repeated: 1)))
        let entry = try await entry(again, 1)
        #expect(entry.state == .pending && entry.uncertain && entry.doubts == 1 && entry.lastReason == .restored)
        #expect(entry.uncertainSince == backup && entry.doubtedAt == again.clock.now)
        #expect(try await again.claim().map(\.mutation) == [mutation(1, route)])
    }

    @Test(arguments: ["fit_test", "create", "route of no profile"]) func entryThatCannotBeLookedUpIsOnHold(route: String) async throws {
        let store = try Store()
        try await store.enqueue(mutation(1, route))
        let (again, entries) = try await restored(store)
        #expect(entries == RestoredEntries(held: 1))
        let entry = try await entry(again, 1)
        #expect(entry.state == .held && entry.holdReason == .unknownOutcome && entry.mayHaveTakenEffect)
        #expect(entry.lastReason == .restored && entry.lastError == Outbox.restoredWords)
        #expect(try await again.claim().isEmpty)
        let event = try await again.outbox.events(since: 0, limit: 10).first { $0.kind == .held }
        #expect(event?.detail == ["reason": "unknownOutcome"] && event?.entry == Samples.id(1))
        // A person has looked for it.
        try await again.outbox.resolve(Samples.id(1), as: .notDelivered, by: "test", named: "ann", at: again.clock.now)
        #expect(try await again.claim().map(\.uncertain) == [false])
    }

    @Test func entryBeingSentIsUncertainSinceThatSend() async throws {
        let store = try Store()
        try await store.enqueue(mutation(1, "measurement"))
        let sent = store.clock.now
        _ = try await store.claim()
        store.clock.advance(by: 5)
        let (again, _) = try await restored(store)
        let entry = try await entry(again, 1)
        #expect(entry.state == .pending && entry.uncertain && entry.uncertainSince == sent)
    }

    @Test func earlierDoubtStays() async throws {
        let store = try Store()
        let sent = store.clock.now
        for (number, route) in [(1, "fit_test"), (2, "measurement")] {
            try await store.enqueue(mutation(number, route))
            try await store.settle(try await store.claim()[0], .aside(until: sent, Self.lost), .unknown(Self.lost))
            store.clock.advance(by: 60)
        }
        let (again, _) = try await restored(store)
        let (blind, found) = (try await entry(again, 1), try await entry(again, 2))
        #expect(blind.holdReason == .unknownOutcome && blind.uncertainSince == sent && blind.lastReason == nil)
        #expect(found.state == .pending && found.doubts == 2 && found.lastReason == .lostAnswer)
    }

    /// Otherwise a retry could send an entry that a person had retried, and Homing had delivered, after the backup.
    @Test func failedEntryMayHaveTakenEffect() async throws {
        let store = try Store()
        for (number, route) in [(1, "fit_test"), (2, "measurement")] {
            try await store.enqueue(mutation(number, route))
            try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure))
        }
        let (again, entries) = try await restored(store)
        #expect(entries == RestoredEntries())
        for number in 1...2 {
            let entry = try await entry(again, number)
            #expect(entry.state == .dead && entry.mayHaveTakenEffect && entry.lastError == Samples.failure.message)
        }
        try await again.outbox.retry(Samples.id(2), forgetsDoubt: false, by: "test", at: again.clock.now)
        #expect(try await again.claim().map(\.uncertain) == [true])
    }

    /// Homing releases an entry on hold for its profile, or for another entry, by itself.
    @Test(arguments: [HoldReason.profile, .dependency, .forbidden]) func blindEntryIsNotReleasedByItself(reason: HoldReason) async throws {
        let store = try Store()
        try await store.enqueue(mutation(1, "fit_test"))
        try await store.settle(try await store.claim()[0], .held(reason, Samples.failure), .permanent(Samples.failure))
        let (again, _) = try await restored(store)
        #expect(try await entry(again, 1).holdReason == (reason == .forbidden ? .forbidden : .unknownOutcome))
        let released = try await again.outbox.releaseMisfits(of: "breathesafe", at: again.clock.now) { _ in true }
        #expect(released == 0)
    }

    @Test func entriesForANewRowWaitForIt() async throws {
        let store = try Store()
        try await store.enqueue(mutation(1, "create", creates: "people"))
        try await store.enqueue(mutation(2, "measurement", for: 1))
        try await store.enqueue(mutation(3, "fit_test", for: 1))
        let (again, entries) = try await restored(store)
        #expect(entries == RestoredEntries(held: 2, dependent: 1))
        #expect(try await entry(again, 1).holdReason == .unknownOutcome)
        #expect(try await entry(again, 2).holdReason == .dependency)
        #expect(try await entry(again, 3).holdReason == .unknownOutcome)
        try await again.outbox.resolve(
            Samples.id(1), as: .delivered(remoteID: "17"), by: "test", named: "ann", at: again.clock.now)
        let claimed = try await again.claim(5)
        #expect(claimed.map(\.id) == [Samples.id(2)] && claimed.allSatisfy(\.uncertain))
    }

    @Test func undoneDiscardIsOnHold() async throws {
        let store = try Store()
        try await store.enqueue(mutation(1, "fit_test"))
        let end = store.clock.now.addingTimeInterval(600)
        try await store.outbox.discard(Samples.id(1), later: end, reason: nil, by: "test", named: "ann", at: store.clock.now)
        let (again, _) = try await restored(store)
        try await again.outbox.restore(Samples.id(1), by: "test", at: again.clock.now)
        #expect(try await entry(again, 1).holdReason == .unknownOutcome)
    }

    @Test func deliveredEntriesAndTheirReceiptsStay() async throws {
        let store = try Store()
        try await store.enqueue(mutation(1, "measurement"))
        try await store.deliver(try await store.claim()[0])
        let receipt = try await store.outbox.receipt(Samples.id(1))
        let (again, entries) = try await restored(store)
        #expect(entries == RestoredEntries())
        #expect(try await again.outbox.receipt(Samples.id(1)) == receipt)
        let entry = try await entry(again, 1)
        #expect(entry.state == .delivered && !entry.uncertain)
    }

    @Test func restoreIsRecordedAfterTheBackup() async throws {
        let store = try Store()
        try await store.enqueue(mutation(1, "fit_test"))
        let (again, _) = try await restored(store)
        let events = try await again.outbox.events(since: 0, limit: 10)
        #expect(events.map(\.kind) == [.captured, .backedUp, .held, .backupRestored])
        #expect(events.last?.detail == ["by": "uid 0, pid 9", "made": "2025-12-06T05:46:40Z", "held": "1"])
    }

    /// Messages of the time before would be wrong now, and would arrive twice.
    @Test func restoredStoreHasNoWaitingNotifications() async throws {
        let store = try Store()
        try store.raw {
            try $0.execute(
                sql: """
                    INSERT INTO notification (id, receiver, dueAt, sealed) VALUES ('\(Samples.id(1))', 'mail', 0, x'00');
                    INSERT INTO notified (id, rule, sealed) VALUES (1, 'rule', x'00')
                    """)
        }
        let (again, _) = try await restored(store)
        let count = try again.raw {
            try Int.fetchOne($0, sql: "SELECT (SELECT count(*) FROM notification) + (SELECT count(*) FROM notified)")
        }
        #expect(count == 0)
    }
}
