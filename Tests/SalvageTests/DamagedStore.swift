import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Vault

@testable import Outbox
@testable import Salvage

/// The store of an interrupted run, with entries in every state, and checks on damaged copies of it.
struct DamagedStore {
    let directory: TemporaryDirectory
    let key: VaultKey
    let clock: TestClock
    let accepted: [Mutation]
    /// The final state of each entry without damage.
    private(set) var ends: [MutationID: Entry.State]
    /// The pages that may hold each entry's row, by sequence.
    let pagesOfEntries: [Int64: Set<Int>]
    let files: [String: Data]
    let lastCursor: Int64
    let inFlight: [MutationID]

    /// Shared by all tests.
    static let closed = Task { try await DamagedStore(isClosed: true) }
    static let open = Task { try await DamagedStore(isClosed: false) }

    /// - Parameter isClosed: false if much of the content is in the WAL.
    init(isClosed: Bool) async throws {
        let store = try Store()
        // Some contents have several pages, and some of these are compressed.
        accepted = (1...40).map { number in
            let text = String(repeating: "\(number % 10)", count: number % 10 == 0 ? 9000 : 40 + number * 7)
            return Samples.mutation(
                number, lane: "users/\(number % 6)", account: number % 4 == 0 ? "2" : "1",
                payload: "{\"n\":\"\(text)\(number % 5 == 0 ? Samples.noise(9000) : "")\"}")
        }
        for mutation in accepted.prefix(12) { try await store.enqueue(mutation) }
        for entry in try await store.claim(4) { try await store.deliver(entry) }
        store.clock.advance(by: 3 * 86_400)
        try await store.outbox.prune(before: store.clock.now.addingTimeInterval(-86_400), at: store.clock.now)
        for mutation in accepted.dropFirst(12) { try await store.enqueue(mutation) }
        // The log starts over well before the end, so that it and the file both hold many entries.
        try await store.outbox.pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
        for entry in try await store.claim(2) { try await store.deliver(entry) }
        for entry in try await store.claim(1, account: "2") {
            try await store.settle(entry, .dead(Samples.failure), .permanent(Samples.failure))
        }
        for entry in try await store.claim(1) {
            try await store.settle(entry, .held(.forbidden, Samples.failure), .forbidden(Samples.failure))
        }
        for entry in try await store.claim(1) {
            try await store.settle(entry, .retry(at: store.clock.now, Samples.failure), .transient(Samples.failure))
        }
        try await store.outbox.discard(Samples.id(30), by: "test", at: store.clock.now)
        try await store.outbox.pause(
            [Pause(backend: "other", reason: "test", since: store.clock.now, until: nil, by: "test")], by: "test", at: store.clock.now)
        inFlight = try await store.claim(2).map(\.id)
        lastCursor = try await store.outbox.newestCursor()
        (directory, key, clock) = (store.directory, store.key, store.clock)
        if isClosed {
            try store.outbox.close()
            try await DatabaseQueue(path: store.directory("outbox.sqlite")).writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        }
        var files: [String: Data] = [:]
        for name in ["outbox.sqlite", "outbox.sqlite-wal"] where FileManager.default.fileExists(atPath: directory(name)) {
            let content = try Data(contentsOf: URL(fileURLWithPath: directory(name)))
            if !content.isEmpty { files[name] = content }
        }
        self.files = files
        pagesOfEntries = Self.pages(in: try StorePages(path: directory("outbox.sqlite")))
        if !isClosed { try store.outbox.close() }
        ends = [:]
        ends = try await life(of: try write { _ in }).states
    }

    private static func pages(in pages: StorePages) -> [Int64: Set<Int>] {
        var found: [Int64: Set<Int>] = [:]
        for number in 1...pages.count where !pages.isPointerMap(number) {
            guard let bytes = pages.page(number), let page = TreePage(bytes, number: number, of: pages) else { continue }
            for row in page.rows {
                switch FoundRow(row, in: page.kind) {
                case .entry(let sequence, _, isWhole: true): found[sequence, default: []].insert(number)
                // Overflow pages have no known owner, so any page may belong to the chain.
                case .content(let sequence, _, let sealed):
                    found[sequence, default: []].formUnion(sealed.count > 4000 ? Set(1...pages.count) : [number])
                default: break
                }
            }
        }
        return found
    }

    var pageCount: Int { (files["outbox.sqlite"]?.count ?? 0) / 4096 }

    /// The offset of each entry's sequence, which precedes the record header; the id follows that.
    var placesOfSequences: [Int] {
        let file = [UInt8](files["outbox.sqlite"] ?? Data())
        return accepted.enumerated().compactMap { index, mutation in
            let id = [UInt8](mutation.id.description.utf8)
            return file.indices.dropFirst(64).dropLast(id.count).first { place in
                file[place] == id[0] && file[place..<place + id.count].elementsEqual(id)
                    && (27..<60).contains { file[place - $0] == $0 && file[place - $0 - 1] == index + 1 }
            }.flatMap { place in (27..<60).first { file[place - $0] == $0 && file[place - $0 - 1] == index + 1 }.map { place - $0 - 1 } }
        }
    }

    /// The WAL frames of the last transaction. Frames of earlier logs may follow.
    var lastTransaction: Range<Int>? {
        let log = files["outbox.sqlite-wal"] ?? Data()
        func bytes(_ start: Int, _ count: Int) -> Data { log[start..<start + count] }
        let ends = (0..<max(0, log.count - 32) / 4120).filter { frame in
            let header = 32 + frame * 4120
            return bytes(header + 8, 8) == bytes(16, 8) && bytes(header + 4, 4).contains { $0 != 0 }
        }
        return ends.count > 1 ? ends[ends.count - 2] + 1..<ends[ends.count - 1] + 1 : nil
    }

    /// The frames with the newest version of a page on which a long content begins, and the bits that make its number that of one of the next pages,
    /// where the content continues.
    func framesOfLongContents() throws -> [(frame: Int, bits: UInt8)] {
        let copy = try write { _ in }
        let pages = try StorePages(path: copy("outbox.sqlite"))
        return (1...pages.count).flatMap { number -> [(frame: Int, bits: UInt8)] in
            guard !pages.isPointerMap(number), let newest = pages.log.versions[number]?.last, let bytes = pages.page(number),
                let page = TreePage(bytes, number: number, of: pages)
            else { return [] }
            let isLong = page.rows.contains { row in
                if case .content(_, _, let sealed) = FoundRow(row, in: page.kind) { return sealed.count > 4000 }
                return false
            }
            return isLong ? (number + 1...number + 3).map { ((newest.offset - 56) / 4120, UInt8(number ^ $0)) } : []
        }
    }

    func write(_ damage: (inout [String: Data]) -> Void) throws -> TemporaryDirectory {
        let copy = try TemporaryDirectory(in: TemporaryDirectory.memory)
        var files = files
        damage(&files)
        for (name, content) in files { try content.write(to: URL(fileURLWithPath: copy(name))) }
        return copy
    }

    struct Life {
        var states: [MutationID: Entry.State] = [:]
        var reasons: [MutationID: HoldReason] = [:]
        var sent: [MutationID: [Mutation]] = [:]
        /// The entries that were sent without a lookup.
        var certain: Set<MutationID> = []
        var reports: [SalvageReport] = []
        var newSequence: Int64 = 0
        var newCursor: Int64 = 0
        var isConsistent = false
    }

    /// Opens the store again after damage, like the daemon.
    func life(of copy: TemporaryDirectory) async throws -> Life {
        var life = Life()
        for run in 1... {
            do throws(OutboxError) {
                let (outbox, _) = try StoreDoctor.open(file: copy("outbox.sqlite"), vault: Vault(key: key), crashed: false, now: clock.now)
                do throws(OutboxError) {
                    try await outbox.verify()
                    try await drain(outbox, &life)
                    try await look(at: outbox, &life)
                    try outbox.close()
                    break
                } catch {
                    try? outbox.close()  // `try?`: the store is damaged
                    throw error
                }
            } catch .damaged where run < 4 {
            } catch {
                throw error
            }
        }
        life.reports = SalvageReport.all(in: copy.path)
        return life
    }

    private func drain(_ outbox: Outbox, _ life: inout Life) async throws(OutboxError) {
        let slots = Dictionary(uniqueKeysWithValues: ["1", "2"].map { (Destination(backend: "breathesafe", account: $0), ClaimOrder(50)) })
        // Changed bytes may have delayed an entry, by less than this.
        let now = clock.now.addingTimeInterval(ServerPause.horizon)
        var entries = try await outbox.claim(slots, at: now).entries
        while !entries.isEmpty {
            for entry in entries { life.sent[entry.id, default: []].append(entry.mutation) }
            life.certain.formUnion(entries.filter { !$0.uncertain }.map(\.id))
            let attempt = Attempt(.accepted(Samples.receipt), route: Samples.route, startedAt: clock.now, endedAt: clock.now)
            entries = try await outbox.settle(
                entries.map { Settled($0, .delivered(Samples.receipt), attempt: attempt) }, thenClaim: slots, at: now
            ).entries
        }
    }

    private func look(at outbox: Outbox, _ life: inout Life) async throws(OutboxError) {
        for mutation in accepted {
            guard let record = try await outbox.entry(mutation.id)?.entry else { continue }
            life.states[mutation.id] = record.state
            life.reasons[mutation.id] = record.holdReason
        }
        life.newSequence = try await outbox.enqueue(Samples.mutation(99), at: clock.now).sequence
        life.newCursor = try await outbox.newestCursor()
        life.isConsistent = try await outbox.derivedTablesMatch()
        _ = try await outbox.receipts(limit: 1000)
        _ = try await outbox.events(since: 0, limit: 10_000)
        _ = try await outbox.lanes(limit: 100)
        _ = try await outbox.overview()
    }

    /// - Parameter pages: the damaged pages; nil if any page may be damaged.
    func faults(of life: Life, pages: Set<Int>?) -> [String] {
        var faults: [String] = []
        var absent = 0
        for (index, mutation) in accepted.enumerated() {
            let (id, state, end) = (mutation.id, life.states[mutation.id], ends[mutation.id])
            for sent in life.sent[id] ?? [] where sent != mutation { faults.append("\(id) was sent with other content") }
            if state == nil { absent += 1 }
            if let state, state != end, !(state == .held && life.reasons[id] == .unreadable) {
                faults.append("\(id) is \(state), not \(end as Any)")
            }
            if let pages, let own = pagesOfEntries[Int64(index + 1)], own.isDisjoint(with: pages), state != end {
                faults.append("\(id) could be read, and is \(state as Any) and not \(end as Any)")
            }
        }
        let counted = life.reports.map { $0.missing + $0.lostReceipts }.reduce(0, +)
        // If the counters are lost, sequences jump far ahead and all entries may be missing; otherwise only the last transaction's.
        let mayMissMore = life.reports.contains(where: \.mayMissMore)
        let uncounted = !mayMissMore ? 0 : life.newSequence > 1_000_000 ? accepted.count : 1
        if absent > counted + uncounted {
            faults.append("\(absent) are gone, and \(counted) are counted")
        }
        if life.newSequence <= Int64(accepted.count) - Int64(absent) { faults.append("the sequence went back to \(life.newSequence)") }
        if mayMissMore, life.newSequence <= 100_000 { faults.append("\(life.newSequence) may have been given before") }
        if life.newCursor <= lastCursor { faults.append("the cursor went back to \(life.newCursor)") }
        for id in inFlight where life.certain.contains(id) { faults.append("\(id) was on its way, and was sent again without a look") }
        if !life.isConsistent { faults.append("the derived tables are wrong") }
        return faults
    }
}
