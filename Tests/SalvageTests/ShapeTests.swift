import Foundation
import GRDB
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Salvage

/// A salvage identifies rows by their values alone, so it can read pages of unknown tables.
@Suite struct ShapeTests {
    /// The classification of each table's and index's rows; nil if a salvage ignores them.
    private static let expected: [String: String?] = [
        "entry": "entry", "content": "content", "receipt": "receipt", "event": "event", "attempt": "attempt", "account": "account",
        "origin": "origin", "lookupRule": "lookupRule", "pause": "pause", "quiet": "quiet", "asideOrder": "place", "afterOrder": nil,
        "gap": "gap", "run": "epoch", "session": "session",
        "lane": "place",
        "sqlite_autoindex_entry_1": "identity", "oneInFlight": "place", "failedOrder": "place", "laneOrder": "place",
        "receiptOf": "settled",
        "grdb_migrations": nil, "sqlite_autoindex_grdb_migrations_1": nil, "stateOrder": nil, "settledOrder": nil,
        "subjectOrder": nil, "subjectWaiting": nil, "subjectFailed": nil, "entryEnd": nil, "routeOrder": nil,
        "laneDue": nil, "tally": "counter",
        "eventWords": nil, "eventDiscards": nil, "neededBy": nil, "createOrder": nil, "discardOrder": nil, "createdRow": nil,
        "owedSignOut": nil, "roster": nil, "rosterOf": nil, "rosterPage": nil, "rosterPages": nil,
        "dailyFigure": "figure", "figureCursor": "figureCursor",
        "notification": nil, "notified": nil, "keyring": "keyring",
    ]

    private static func name(_ row: FoundRow?) -> String? {
        row.map { row in
            switch row {
            case .entry: "entry"
            case .content: "content"
            case .receipt: "receipt"
            case .event: "event"
            case .attempt: "attempt"
            case .account: "account"
            case .origin: "origin"
            case .lookupRule: "lookupRule"
            case .pause: "pause"
            case .quiet: "quiet"
            case .gap: "gap"
            case .figure: "figure"
            case .figureCursor: "figureCursor"
            case .session: "session"
            case .epoch: "epoch"
            case .keyring: "keyring"
            case .counter: "counter"
            case .identity: "identity"
            case .place: "place"
            case .settled: "settled"
            }
        }
    }

    /// A store without a log, in which every table and index has rows.
    private static func filledStore() async throws -> Store {
        let store = try Store()
        try store.keepKeyring()
        try await store.enqueue(Samples.create(20))
        try await store.deliver(try await store.claim()[0])
        for number in 1...12 {
            var mutation = Samples.mutation(number, lane: "\(number)")
            // A subject like the id of an entry must not be taken for one.
            mutation.subject = number % 2 == 0 ? RosterID(Samples.id(number + 1).description) : nil
            mutation.afterSubject = number == 12
            _ = try await store.outbox.enqueue(mutation, accountLabel: "ann@lab.test", at: store.clock.now)
        }
        for entry in try await store.claim(2) { try await store.deliver(entry) }
        try await store.outbox.discard(Samples.id(9), by: "ann", at: store.clock.now)
        try await store.settle(
            try await store.claim()[0], .retry(at: store.clock.now.addingTimeInterval(60), Samples.failure), .transient(Samples.failure))
        try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure))
        try await store.settle(try await store.claim()[0], .held(.forbidden, Samples.failure), .forbidden(Samples.failure))
        #expect(try await store.claim().count == 1)
        try await store.enqueue(Samples.create(21))
        try await store.enqueue(Samples.capture(22, of: 21))
        _ = try store.outbox.claimOrigin("https://lab.test", of: "breathesafe", formerly: [])
        _ = try await store.outbox.claimLookupRules(["measurement": "mark /a"], of: "breathesafe", at: store.clock.now)
        let pauses = [nil, store.clock.now.addingTimeInterval(7200)].enumerated().map { index, end in
            Pause(backend: "backend \(index)", reason: "a test", since: store.clock.now, until: end, by: "ann")
        }
        for (backend, account) in [("breathesafe", "1"), ("lists", nil)] as [(String, AccountID?)] {
            let owed = StoredOwedSignOut(account: "2", until: store.clock.now, record: Data("{}".utf8))
            try store.outbox.apply(
                SessionChange(backend: backend, record: Data("{}".utf8), account: account, owedSignOut: .begins(owed)))
        }
        for (resource, incomplete) in [("people", nil), ("lists", .changing)] as [(String, Incompleteness?)] {
            let read = RosterRead([[.sample(1)], [.sample(2)]], of: resource, incomplete: incomplete, at: store.clock.now)
            _ = try await store.outbox.store(read, at: store.clock.now)
        }
        let notifications = Notifications(payloads: [Data("{}".utf8)], memory: Data("{}".utf8), rule: "a", receivers: [.webhook, .mail])
        try await store.outbox.keep(notifications, at: store.clock.now)
        try await store.outbox.pause(pauses, by: "ann", at: store.clock.now)
        try store.raw { db in
            try db.execute(
                sql: """
                    INSERT INTO gap (first, last, at) VALUES (7000, 7001, 5);
                    INSERT INTO quiet (backend, address, since, until, status, message)
                        VALUES ('a', 'https://a', 5, 6, 429, 'slow'), ('b', 'https://b', 5, 6, NULL, 'slow');
                    DROP TRIGGER entryIdentity;
                    UPDATE entry SET aside = 1 WHERE state = 'pending' AND sequence % 2;
                    UPDATE entry SET after = 'users/5' WHERE state = 'pending';
                    UPDATE entry SET holdReason = 'discarding', discardAt = 5, restoreTo = 'held:forbidden' WHERE state = 'held';
                    """)
        }
        try await store.outbox.countFigures(at: store.clock.now)
        #expect(try await store.outbox.emptyLog())
        return store
    }

    @Test func tellsRowsApartByTheirShape() async throws {
        let store = try await Self.filledStore()
        let trees = try store.raw { try Row.fetchAll($0, sql: "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0") }
        #expect(Set(trees.map { $0["name"] as String }) == Set(Self.expected.keys))
        let pages = try StorePages(path: store.directory("outbox.sqlite"))
        for tree in trees {
            let (name, root) = (tree["name"] as String, tree["rootpage"] as Int)
            let page = try #require(pages.page(root).flatMap { TreePage($0, number: root, of: pages) })
            let leaves =
                try page.children.isEmpty
                ? [page]
                : page.children.map { number in try #require(pages.page(number).flatMap { TreePage($0, number: number, of: pages) }) }
            let found = leaves.flatMap { leaf in leaf.rows.map { Self.name(FoundRow($0, in: leaf.kind)) } }
            // Its other rows are counts.
            let ignored: Set<String?> = name == "tally" ? [nil] : []
            #expect(!found.isEmpty && Set(found) == ignored.union([Self.expected[name] ?? nil]), "\(name)")
        }
    }
}
