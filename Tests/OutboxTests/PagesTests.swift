import Foundation
import GRDB
import GRDBSQLite
import StoreSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

@testable import Outbox

/// The pages and syncs of a submission and a delivery (Decisions/FewPages.md). Each page is written twice: to the log, and later to the file.
@Suite struct PagesTests {
    /// Pages per commit, by table or index.
    private static let submission = [
        "entry": 1.05, "sqlite_autoindex_entry_1": 1.19, "laneOrder": 1.03, "stateOrder": 1.13, "routeOrder": 1.04, "subjectOrder": 1,
        "entryEnd": 1.2,
        "event": 1.03, "tally": 1,
    ]
    private static let delivery = [
        "entry": 1.14, "laneOrder": 1.26, "lane": 1, "laneDue": 1, "oneInFlight": 1, "stateOrder": 1.02, "settledOrder": 1,
        "receipt": 1.09, "receiptOf": 1.04, "event": 1.06, "tally": 1,
    ]

    @Test(arguments: [2000: 4.01, 17_000: 7.21]) func submissionWritesFewPages(size: Int, payload: Double) async throws {
        let counted = try await Counted(size: size)
        let written = try await counted.each(100, from: 200) { try await counted.submit($0) }
        expect(written, atMost: Self.submission, payload: payload, statements: 11)
    }

    @Test(arguments: [2000: 6.9, 17_000: 8.77]) func deliveryWritesFewPages(size: Int, payload: Double) async throws {
        let counted = try await Counted(size: size)
        var entry = try await counted.store.claim()[0]
        let written = try await counted.each(100, from: 1) { _ in entry = try await counted.deliver(entry) }
        expect(written, atMost: Self.delivery, payload: payload, statements: 22)
    }

    private func expect(_ written: Written, atMost limits: [String: Double], payload: Double, statements: Double) {
        for (name, pages) in written.own { #expect(pages < (limits[name] ?? 0) + 0.005, "\(name): \(written)") }
        #expect(written.payload < payload + 0.005 && written.statements < statements + 0.005, "\(written)")
    }

    /// A commit costs one sync, and a checkpoint three.
    @Test func syncsAreRarelyThoseOfACheckpoint() async throws {
        let counted = try await Counted(size: 17_000, checkpoints: true)
        let before = counted.syncs
        var entry = try await counted.store.claim()[0]
        for _ in 1...190 { entry = try await counted.deliver(entry) }
        let syncs = counted.syncs - before
        #expect(syncs > 191 && 190 / Double(syncs) >= 0.9, "\(syncs)")
    }

    /// A statement that reads every entry would take longer with each one that waits.
    @Test func stepsDoNotGrowWithTheQueue() async throws {
        let counted = try await Counted(size: 100)
        func steps(from number: Int) async throws -> [String: Int] {
            _ = counted.takeSteps()
            for next in number...number + 9 { try await counted.submit(next) }
            var entry = try await counted.store.claim()[0]
            for _ in 1...10 { entry = try await counted.deliver(entry) }
            try await counted.store.settle(entry, .released(until: counted.store.clock.now, Samples.failure))
            return counted.takeSteps()
        }
        let few = try await steps(from: 201)
        try await counted.submit(211...1500)
        for (statement, number) in try await steps(from: 1501) {
            let before = few[statement] ?? 0
            #expect(number <= before + before / 5 + 50, "\(statement) took \(before) steps, and with a longer queue \(number).")
        }
    }
}

private struct Written {
    /// Per commit.
    var own: [String: Double] = [:]
    /// Of the payload: its own, their zeroed remains, and the pages that say how long the file is and to whom its pages belong.
    var payload = 0.0
    var statements = 0.0
}

/// A store with 200 entries in 8 lanes that counts writes.
private struct Counted {
    let store: Store
    let size: Int
    private let statements = Counter()

    init(size: Int, checkpoints: Bool = false) async throws {
        (store, self.size) = (try Store(), size)
        try await store.outbox.pool.writeWithoutTransaction { db in
            if !checkpoints { try db.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
            SyncCounter.attach(to: db)
        }
        for number in 1...200 { try await submit(number) }
    }

    func submit(_ number: Int) async throws { try await submit(number...number) }

    /// In one commit.
    func submit(_ numbers: ClosedRange<Int>) async throws {
        let mutations = numbers.map { number in
            var mutation = Samples.mutation(number, lane: "users/\(number % 8)", payload: "\"\(Samples.noise(size - 2))\"")
            (mutation.subject, mutation.reference) = (RosterID("\(number % 8)"), "managed_users")
            return mutation
        }
        let options = EnqueueOptions(by: "uid 1000, pid 4242")
        _ = try await store.outbox.enqueue(mutations, accountLabel: "ann@lab.test", at: store.clock.now, options)
    }

    /// Settles it and claims the next, in one commit.
    func deliver(_ entry: Entry) async throws -> Entry {
        store.clock.advance(by: 0.1)
        let receipt = Receipt(remoteID: "\(1000 + entry.sequence)", status: 201, at: store.clock.now)
        let attempt = Attempt(.accepted(receipt), route: Samples.route, startedAt: store.clock.now, endedAt: store.clock.now)
        let claimed = try await store.outbox.settle(
            [Settled(entry, .delivered(receipt), attempt: attempt)], thenClaim: [Samples.destination: 1], at: store.clock.now)
        return try #require(claimed.entries.first)
    }

    /// Of each statement that the writer keeps, the instructions since the last call.
    func takeSteps() -> [String: Int] {
        store.outbox.pool.writeWithoutTransaction { db in
            var steps: [String: Int] = [:]
            var next = sqlite3_next_stmt(db.sqliteConnection, nil)
            while let statement = next {
                steps[String(cString: sqlite3_sql(statement)), default: 0] += Int(
                    sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1))
                next = sqlite3_next_stmt(db.sqliteConnection, statement)
            }
            return steps
        }
    }

    func each(_ count: Int, from first: Int, _ work: (Int) async throws -> Void) async throws -> Written {
        let begin = try log.count
        try await store.outbox.pool.writeWithoutTransaction { [statements] db in
            db.trace { event in if !"\(event)".hasPrefix("--") { statements.count.withLock { $0 += 1 } } }
        }
        for number in first + 1...first + count { try await work(number) }
        try await store.outbox.pool.writeWithoutTransaction { $0.trace(options: []) }
        let frames = try log.dropFirst(begin)
        let owners = try store.raw { db in
            Dictionary(
                uniqueKeysWithValues: try Row.fetchAll(db, sql: "SELECT pageno, name FROM dbstat").map { ($0[0] as Int, $0[1] as String) })
        }
        var written = Written(statements: Double(statements.count.withLock(\.self)) / Double(count))
        for page in frames {
            let name = owners[page] ?? "free"
            if ["content", "free", "sqlite_schema"].contains(name) {
                written.payload += 1 / Double(count)
            } else {
                written.own[name, default: 0] += 1 / Double(count)
            }
        }
        return written
    }

    /// The pages of all frames. Without checkpoints it only grows.
    private var log: [Int] {
        get throws {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: store.directory("outbox.sqlite-wal")))
            return stride(from: 32, to: bytes.count - 4119, by: 4120).map { frame in
                bytes[frame..<frame + 4].reduce(0) { $0 << 8 | Int($1) }
            }
        }
    }

    var syncs: Int { store.outbox.pool.writeWithoutTransaction { SyncCounter.count(of: $0) } }
}

private final class Counter: Sendable { let count = Mutex(0) }

/// Counts the calls of `xSync`, each of which is one fdatasync, of a connection's file and log.
private enum SyncCounter {
    private typealias Methods = sqlite3_io_methods
    private struct Watched {
        let sync: @convention(c) (UnsafeMutablePointer<sqlite3_file>?, Int32) -> Int32
        var count = 0
    }
    private static let watched = Mutex<[UInt: Watched]>([:])

    static func attach(to db: Database) {
        for file in files(db) {
            guard var methods = file.pointee.pMethods?.pointee, let sync = methods.xSync else { continue }
            watched.withLock { $0[UInt(bitPattern: file)] = Watched(sync: sync) }
            methods.xSync = { file, flags in
                let sync = SyncCounter.watched.withLock { watched in
                    watched[UInt(bitPattern: file)]?.count += 1
                    return watched[UInt(bitPattern: file)]?.sync
                }
                return sync?(file, flags) ?? SQLITE_IOERR
            }
            // Until the process ends, as SQLite uses it when it closes the file.
            let copy = UnsafeMutablePointer<Methods>.allocate(capacity: 1)
            copy.initialize(to: methods)
            file.pointee.pMethods = UnsafePointer(copy)
        }
    }

    static func count(of db: Database) -> Int {
        watched.withLock { watched in files(db).map { watched[UInt(bitPattern: $0)]?.count ?? 0 }.reduce(0, +) }
    }

    private static func files(_ db: Database) -> [UnsafeMutablePointer<sqlite3_file>] {
        [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER].compactMap { which in
            var file: UnsafeMutablePointer<sqlite3_file>?
            sqlite3_file_control(db.sqliteConnection, "main", which, &file)
            return file
        }
    }
}
