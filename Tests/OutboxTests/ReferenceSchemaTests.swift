import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

/// The tables that triggers maintain, with references.
@Suite struct ReferenceSchemaTests {
    /// SQLite and Swift must agree, or an entry would wait for nothing or be sent too early.
    @Test func schemaRecognizesReferencesAsTheModelDoes() async throws {
        let store = try Store()
        try await store.enqueue(Samples.create(1))
        let id = Samples.id(1).description
        let subjects = [
            "@\(id)", "5", "@", id, "@\(id) ", " @\(id)", "@@\(id)", "@\(id.replacing("-", with: "_"))", "@\(id.replacing("0", with: "g"))",
            "@\(id.replacing("0", with: "A"))", "@\(id.dropLast())", "@\(id)0", "@\(id.replacing("-", with: ""))", "@*", "é",
        ]
        for (number, subject) in subjects.enumerated() {
            var mutation = Samples.mutation(number + 2, lane: "\(number)")
            (mutation.subject, mutation.reference) = (RosterID(subject), "people")
            try await store.enqueue(mutation)
        }
        let rows = try store.raw {
            try Row.fetchAll($0, sql: "SELECT subject, needs FROM entry WHERE subject IS NOT NULL ORDER BY sequence")
        }
        #expect(rows.map { $0["subject"] as String } == subjects)
        #expect(rows.map { $0["needs"] as String? } == subjects.map { RosterID($0).reference?.description })
        #expect(rows.compactMap { $0["needs"] as String? } == [id])
    }

    /// A change of state must read only the lanes that it concerns. Each index that a trigger reads is in the program of the statement.
    @Test func movesReadNoListOfWaitingEntries() async throws {
        let store = try Store()
        let moves = [
            "UPDATE entry SET state = 'inflight', epoch = 1 WHERE sequence = 1", "UPDATE entry SET dueAt = 5 WHERE sequence = 1",
            """
            INSERT INTO entry (id, backend, account, lane, route, onDead, size, digest, dueAt, capturedAt, acceptedAt)
                VALUES ('a', 'b', '1', 'l', 'r', 'skip', 1, zeroblob(32), 0, 5, 5)
            """,
        ]
        try store.raw { db in
            let names = try Row.fetchAll(db, sql: "SELECT rootpage, name FROM sqlite_schema WHERE rootpage > 0")
            let indexes = Dictionary(uniqueKeysWithValues: names.map { ($0["rootpage"] as Int, $0["name"] as String) })
            for move in moves {
                let program = try Row.fetchAll(db, sql: "EXPLAIN \(move)")
                let read = Set(program.filter { ($0["opcode"] as String) == "OpenRead" }.compactMap { indexes[$0["p2"] as Int] })
                #expect(read.isDisjoint(with: ["stateOrder", "createOrder", "settledOrder"]) && read.contains("laneOrder"), "\(read)")
            }
        }
    }

    /// The triggers of any move must find a lane by its key, because there may be 100,000 lanes.
    @Test(arguments: [
        "UPDATE entry SET state = 'inflight', epoch = 1 WHERE sequence = 1",
        "UPDATE entry SET state = 'delivered', settledAt = 5 WHERE sequence = 1",
        "UPDATE entry SET dueAt = 5 WHERE sequence = 1", "UPDATE entry SET parent = 2 WHERE sequence = 1",
        """
        INSERT INTO entry (id, backend, account, lane, route, onDead, size, digest, dueAt, capturedAt, acceptedAt)
            VALUES ('a', 'b', '1', 'l', 'r', 'skip', 1, zeroblob(32), 0, 5, 5)
        """,
        """
        INSERT INTO receipt
            (id, sequence, backend, account, lane, route, size, digest, outcome, foundByLookup, attempts, capturedAt, acceptedAt, settledAt)
            VALUES ('a', 1, 'b', '1', 'l', 'r', 1, zeroblob(32), 'delivered', 0, 1, 5, 5, 5)
        """,
    ])
    func movesScanNoLanes(move: String) throws {
        let store = try Store()
        try store.raw { db in
            let lanes = try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'lane'")
            var cursors: Set<Int> = []
            var finds = false
            for step in try Row.fetchAll(db, sql: "EXPLAIN \(move)") {
                let (opcode, cursor) = (step["opcode"] as String, step["p1"] as Int)
                // Each trigger has its own program and cursors.
                if (step["addr"] as Int) == 0 { cursors = [] }
                if opcode == "OpenRead" || opcode == "OpenWrite", (step["p2"] as Int) == lanes { cursors.insert(cursor) }
                guard cursors.contains(cursor) else { continue }
                if opcode.hasPrefix("Seek") { finds = true }
                #expect(opcode != "Rewind" && opcode != "Last", "\(step)")
            }
            #expect(finds)
        }
    }

    @Test func anEntryBehindAnotherRewritesNoHead() throws {
        let store = try Store()
        let changes = try store.raw { db in
            try [("users/5", 1), ("users/5", 2), ("users/7", 3), ("users/5", 4)].map { lane, number in
                let before = db.totalChangesCount
                try db.execute(
                    sql: """
                        INSERT INTO entry (id, backend, account, lane, route, onDead, size, digest, dueAt, capturedAt, acceptedAt)
                            VALUES (?, 'b', '1', ?, 'r', 'skip', 1, zeroblob(32), 0, 5, 5)
                        """, arguments: [Samples.id(number).description, lane])
                return db.totalChangesCount - before
            }
        }
        // The entry, its tally, the last sequence, and the head of its lane.
        #expect(changes == [4, 3, 4, 3])
    }

    @Test func searchesByIndex() async throws {
        let store = try Store()
        let searches = [
            ("neededBy", Outbox.pendingDependents), ("neededBy", Outbox.releasedDependents),
            ("neededBy", Outbox.anyDependent), ("createOrder", Outbox.openCreates), ("createdRow", Outbox.createdRow),
            ("subjectWaiting", "SELECT sequence FROM entry WHERE subject = 'a' AND afterSubject AND state = 'pending'"),
            ("discardOrder", Outbox.dueDiscards),
        ]
        for (index, search) in searches {
            let values = StatementArguments(Array(repeating: "1", count: search.count { $0 == "?" }))
            let plan = try store.raw { db in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(search)", arguments: values).map { $0["detail"] as String }
            }
            #expect(plan.contains { $0.hasPrefix("SEARCH ") && $0.contains(" \(index) ") }, "\(plan)")
            #expect(!plan.contains { $0.hasPrefix("SCAN ") }, "\(plan)")
        }
    }

    /// The hold reason alone decides whether it stops the lane.
    @Test func anEntryThatIsBeingDiscardedStopsNoLane() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number, onDead: .halt)) }
        try await store.settle(try await store.claim()[0], .held(.forbidden, Samples.failure), .forbidden(Samples.failure))
        #expect(try await store.claim().isEmpty)
        let discarding = "UPDATE entry SET holdReason = 'discarding', discardAt = 5, restoreTo = 'held:forbidden' WHERE state = 'held'"
        try store.raw { try $0.execute(sql: discarding) }
        #expect(try await store.outbox.derivedTablesMatch())
        #expect(try await store.claim().map(\.id) == [Samples.id(2)])
        let entry = try #require(try await store.outbox.entry(Samples.id(1))?.entry)
        #expect(entry.holdReason == .discarding && entry.discardAt == Date(ms: 5) && entry.discardBy == nil)
        for wrong in ["discardAt = NULL", "discardAt = NULL, restoreTo = NULL", "restoreTo = 'inflight'"] {
            #expect(throws: DatabaseError.self) { try store.raw { try $0.execute(sql: "UPDATE entry SET \(wrong) WHERE state = 'held'") } }
        }
    }

    /// The id of a lost create may be submitted again.
    @Test func aCreateThatComesLaterIsWaitedFor() async throws {
        let store = try Store()
        try await store.enqueue(Samples.create(1))
        try await store.enqueue(Samples.capture(2, of: 1))
        try store.raw { db in
            try db.execute(
                sql: """
                    DROP TRIGGER entryStays; DROP TRIGGER contentStays;
                    DELETE FROM content WHERE sequence = 1; DELETE FROM entry WHERE sequence = 1;
                    UPDATE lane SET dueAt = 0 WHERE head = 2; DELETE FROM lane WHERE head = 1; UPDATE tally SET count = 1, bytes = bytes / 2;
                    """)
        }
        #expect(try await store.outbox.derivedTablesMatch())
        try await store.enqueue(Samples.create(1))
        #expect(try await store.outbox.derivedTablesMatch())
        let create = try #require(try await store.claim(5).first)
        #expect(create.id == Samples.id(1))
        try await store.deliver(create)
        #expect(try await store.claim(5).map(\.bound) == ["7"])
    }

    private struct History {
        var store: Store
        var generator: SplitMix64
        var newest = 0
        var creates: [Int] = []
        var bound = 0

        mutating func number() -> Int { Int.random(in: max(1, newest - 15)...max(1, newest), using: &generator) }
        mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

        mutating func step() async throws {
            let (outbox, now) = (store.outbox, store.clock.now)
            switch Int.random(in: 0..<12, using: &generator) {
            case 0...3: try await enqueue()
            case 4...7: try await send()
            // `try?`: a refusal is part of the history.
            case 8: try? await outbox.retry(Samples.id(number()), forgetsDoubt: chance(50), by: "ann", at: now)
            case 9: if chance(40) { try? await outbox.discard(Samples.id(number()), by: "ann", at: now) }  // `try?`: as above
            case 10: try await outbox.prune(before: now.addingTimeInterval(-5), at: now)
            default: try store.restart(crashed: chance(50))
            }
            store.clock.advance(by: 1)
        }

        private mutating func enqueue() async throws {
            let other = chance(70) ? creates.suffix(5).randomElement(using: &generator) : nil
            newest += 1
            let lane = "\(Int.random(in: 0..<4, using: &generator))"
            let account: AccountID = other == nil && chance(20) ? "2" : "1"
            var mutation = other.map { Samples.capture(newest, of: $0) } ?? Samples.mutation(newest, account: account)
            mutation.lane = Lane(lane)
            mutation.afterSubject = other != nil && chance(30)
            mutation.onDead = chance(50) ? .halt : .skip
            if account == "1", chance(40) {
                mutation.creates = "people"
                creates.append(newest)
            }
            if chance(20) { mutation.after = Lane("\(Int.random(in: 0..<4, using: &generator))") }
            _ = try? await store.enqueue(mutation)  // `try?`: as above
        }

        private mutating func send() async throws {
            for entry in try await store.claim(3, account: chance(20) ? "2" : "1") {
                #expect((entry.mutation.subject != nil) == (entry.bound != nil), "\(entry)")
                if entry.bound != nil { bound += 1 }
                let (receipt, later) = (Receipt(remoteID: "\(entry.sequence)", status: 201, at: store.clock.now), store.clock.now + 2)
                switch Int.random(in: 0..<9, using: &generator) {
                case 0: try await store.settle(entry, .dead(Samples.failure), .permanent(Samples.failure))
                case 1: try await store.settle(entry, .held(.forbidden, Samples.failure), .forbidden(Samples.failure))
                case 2: try await store.settle(entry, .retry(at: later, Samples.failure), .transient(Samples.failure))
                case 3: try await store.settle(entry, .aside(until: later, Samples.failure), .transient(Samples.failure))
                case 4: continue  // in flight until the next start
                default: try await store.settle(entry, .delivered(receipt), .accepted(receipt))
                }
            }
        }
    }

    /// After each step the derived tables are right, and no pending entry waits for one that will not come.
    @Test func lanesAreRightAfterAnyHistory() async throws {
        var bound = 0
        for seed in 1...8 as ClosedRange<UInt64> { bound += try await historyIsRight(seed) }
        #expect(bound > 0)
    }

    /// The number of sent references.
    private func historyIsRight(_ seed: UInt64) async throws -> Int {
        var history = History(store: try Store(in: TemporaryDirectory.memory), generator: SplitMix64(seed: seed))
        for step in 1...80 {
            try await history.step()
            #expect(try await history.store.outbox.derivedTablesMatch(), "step \(step) of seed \(seed)")
            let stranded = try await history.store.outbox.pool.read { db in
                try Int.fetchOne(
                    db,
                    sql: """
                        SELECT count(*) FROM entry JOIN entry AS first ON first.id = entry.needs
                        WHERE entry.state = 'pending' AND first.state IN ('dead', 'held', 'discarded')
                        """)
            }
            #expect(stranded == 0, "step \(step)")
        }
        return history.bound
    }
}
