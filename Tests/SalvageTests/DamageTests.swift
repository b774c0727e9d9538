import Foundation
import GRDB
import Outbox
import Salvage
import StoreSupport
import SyncModel
import TestSupport
import Testing

/// A damaged store opens, keeps readable rows, and counts missing ones. See DamagedStore.
@Suite struct DamageTests {
    private static let store = "outbox.sqlite"
    private static let log = "outbox.sqlite-wal"

    private func faults(
        _ damaged: DamagedStore, _ cases: some Sequence<Int>, pages: (Int) -> Set<Int>? = { _ in nil },
        damage: (Int, inout [String: Data]) -> Void
    ) async throws -> [String] {
        var faults: [String] = []
        for number in cases {
            let copy = try damaged.write { damage(number, &$0) }
            do {
                let life = try await damaged.life(of: copy)
                faults += damaged.faults(of: life, pages: pages(number)).map { "\(number): \($0)" }
            } catch {
                faults.append("\(number): \(error)")
            }
        }
        return faults
    }

    @Test func soundStoreNeedsNoSalvage() async throws {
        for fixture in [DamagedStore.closed, DamagedStore.open] {
            let damaged = try await fixture.value
            #expect(damaged.ends.count == 40 && Set(damaged.ends.values) == [.delivered, .dead, .held, .discarded])
            let copy = try damaged.write { _ in }
            let life = try await damaged.life(of: copy)
            #expect(life.reports.isEmpty && damaged.faults(of: life, pages: []) == [])
            #expect(try !copy.names.contains("damaged"))
        }
    }

    @Test func salvagesStoreWithAnyPageZeroed() async throws {
        let damaged = try await DamagedStore.closed.value
        let faults = try await faults(
            damaged, 1...damaged.pageCount, pages: { [$0] },
            damage: { page, files in
                files[Self.store]?.replaceSubrange((page - 1) * 4096..<page * 4096, with: Data(count: 4096))
            })
        #expect(faults == [])
    }

    @Test func salvagesStoreWithPagesOfNoise() async throws {
        let damaged = try await DamagedStore.closed.value
        var generator = Seeded(state: 7)
        let faults = try await faults(
            damaged, stride(from: 1, through: damaged.pageCount, by: 4), pages: { [$0] },
            damage: { page, files in
                let noise = Data((0..<4096).map { _ in UInt8.random(in: 0...255, using: &generator) })
                files[Self.store]?.replaceSubrange((page - 1) * 4096..<page * 4096, with: noise)
            })
        #expect(faults == [])
    }

    @Test func salvagesTruncatedStore() async throws {
        let damaged = try await DamagedStore.closed.value
        let faults = try await faults(
            damaged, 0..<damaged.pageCount, pages: { Set($0 + 1...damaged.pageCount) },
            damage: { pages, files in
                files[Self.store]?.removeSubrange((pages * 4096)...)
            })
        #expect(faults == [])
    }

    /// The flipped sequence may be that of another entry or of a receipt, or unused.
    @Test func salvagesStoreWithFlippedSequenceBit() async throws {
        let damaged = try await DamagedStore.closed.value
        let places = damaged.placesOfSequences
        #expect(places.count > 30)
        let faults = try await faults(damaged, stride(from: 0, to: places.count * 7, by: 5)) { number, files in
            files[Self.store]?[places[number / 7]] ^= 1 << UInt8(number % 7)
        }
        #expect(faults == [])
    }

    @Test func salvagesStoreWithDestroyedHeader() async throws {
        let damaged = try await DamagedStore.closed.value
        let faults = try await faults(
            damaged, [0], pages: { _ in [] },
            damage: { _, files in
                files[Self.store]?.replaceSubrange(0..<100, with: Data(repeating: 0x5a, count: 100))
            })
        #expect(faults == [])
    }

    @Test func salvagesLogWithDamagedFrames() async throws {
        let damaged = try await DamagedStore.open.value
        let last = try #require(damaged.lastTransaction)
        #expect(last.lowerBound > 20)
        let faults = try await faults(damaged, stride(from: 0, to: last.lowerBound, by: 11)) { frame, files in
            files[Self.log]?[32 + frame * 4120 + 24 + 2000] ^= 0x10
        }
        #expect(faults == [])
    }

    /// Sectors reach the disk in any order, so torn frames are not damage.
    @Test func tornTransactionIsNotDamage() async throws {
        let damaged = try await DamagedStore.open.value
        let last = try #require(damaged.lastTransaction)
        #expect(last.count > 1)
        for frame in last {
            let copy = try damaged.write { $0[Self.log]?[32 + frame * 4120 + 24 + 2000] ^= 0x10 }
            let life = try await damaged.life(of: copy)
            #expect(life.reports.isEmpty, "frame \(frame) of \(last)")
            #expect(life.isConsistent && life.states.count == damaged.accepted.count)
        }
    }

    /// The last transaction claimed the entries in flight. It is not used, because damage and a failed write look the same.
    @Test func ignoresLastTransactionOfDamagedLog() async throws {
        let damaged = try await DamagedStore.open.value
        let last = try #require(damaged.lastTransaction)
        #expect(damaged.inFlight.count == 2)
        for frame in last {
            // Damages its content, page number, salts, or first sector.
            for place in [2000, 3, 9, -1] {
                let copy = try damaged.write { files in
                    let start = 32 + frame * 4120
                    files[Self.log]?[32 + 11 * 4120 + 24 + 2000] ^= 0x10
                    if place < 0 { files[Self.log]?.resetBytes(in: start / 512 * 512..<start / 512 * 512 + 512) }
                    if place >= 0 { files[Self.log]?[start + place] ^= 0x10 }
                }
                let life = try await damaged.life(of: copy)
                #expect(damaged.faults(of: life, pages: nil) == [], "byte \(place) of frame \(frame)")
                #expect(life.reports.map(\.mayMissMore) == [true] && life.certain.isEmpty, "byte \(place) of frame \(frame)")
            }
        }
    }

    /// The newest version is found, but not for certain.
    @Test func findsNewestVersionDespiteChangedPageNumber() async throws {
        let damaged = try await DamagedStore.open.value
        let last = try #require(damaged.lastTransaction)
        for frame in stride(from: 3, to: last.lowerBound, by: 23) {
            let copy = try damaged.write { $0[Self.log]?[32 + frame * 4120 + 3] ^= 0x06 }
            let life = try await damaged.life(of: copy)
            #expect(damaged.faults(of: life, pages: []) == [], "frame \(frame)")
            #expect(life.reports.map { [$0.missing, $0.unreadable] } == [[0, 0]] && life.certain.isEmpty, "frame \(frame)")
        }
    }

    /// The frame then counts for both pages, and neither has a certain version.
    @Test func readsPayloadIfItsFirstPageClaimsTheNumberOfAnother() async throws {
        let damaged = try await DamagedStore.open.value
        let frames = try damaged.framesOfLongContents()
        #expect(frames.count > 3)
        for (frame, bits) in frames {
            let copy = try damaged.write { $0[Self.log]?[32 + frame * 4120 + 3] ^= bits }
            let life = try await damaged.life(of: copy)
            #expect(damaged.faults(of: life, pages: []) == [], "frame \(frame), bits \(bits)")
        }
    }

    @Test func salvagesLogWithZeroedSectors() async throws {
        let damaged = try await DamagedStore.open.value
        let last = try #require(damaged.lastTransaction)
        let end = 32 + last.lowerBound * 4120
        let starts = [0] + stride(from: 512, to: end, by: 512 * 131) + stride(from: 32 + 7 * 4120, to: end, by: 31 * 4120)
        let faults = try await faults(damaged, starts.map { $0 / 512 * 512 }) { start, files in
            files[Self.log]?.resetBytes(in: start..<start + 512)
        }
        #expect(faults == [])
    }

    @Test func salvagesLogWithDestroyedHeader() async throws {
        let damaged = try await DamagedStore.open.value
        let faults = try await faults(damaged, stride(from: 0, to: 32, by: 5)) { byte, files in files[Self.log]?[byte] ^= 0x41 }
        #expect(faults == [])
    }

    @Test func setsAsideFileThatIsNoStore() async throws {
        let damaged = try await DamagedStore.closed.value
        for content in [Data(), Data("# not a store\n".utf8), Data(repeating: 0xff, count: 50_000)] {
            let life = try await damaged.life(of: try damaged.write { $0[Self.store] = content })
            #expect(life.reports.count == 1 && life.reports.first?.mayMissMore == true)
            #expect(life.newSequence > 40)
        }
        let copy = try damaged.write { $0 = [:] }
        try FileManager.default.createDirectory(atPath: copy(Self.store), withIntermediateDirectories: false)
        let life = try await damaged.life(of: copy)
        let report = try #require(life.reports.first)
        #expect(FileManager.default.fileExists(atPath: report.folder + "/" + Self.store))
    }

    @Test func keepsDamagedFilesUnchanged() async throws {
        let damaged = try await DamagedStore.closed.value
        let copy = try damaged.write { $0[Self.store]?.replaceSubrange(0..<50, with: Data(count: 50)) }
        let before = try Data(contentsOf: URL(fileURLWithPath: copy(Self.store)))
        let life = try await damaged.life(of: copy)
        let folder = try #require(life.reports.first?.folder)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder + "/" + Self.store)) == before)
        #expect(try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
        #expect(life.reports.map { $0.missing } == [0])
    }

    /// But for the last transaction of the log: damaged, that looks like one that a power cut tore. See `tornTransactionIsNotDamage`.
    @Test(arguments: 0..<20) func salvagesStoreWithRandomFlippedBytes(seed: Int) async throws {
        let damaged = try await (seed % 2 == 0 ? DamagedStore.closed : DamagedStore.open).value
        var generator = Seeded(state: UInt64(seed) &+ 1)
        let end = damaged.lastTransaction.map { 32 + $0.lowerBound * 4120 }
        let faults = try await faults(damaged, 0..<2) { _, files in
            for _ in 0..<Int.random(in: 1...20, using: &generator) {
                guard let name = files.keys.sorted().randomElement(using: &generator), var count = files[name]?.count, count > 0 else {
                    continue
                }
                if name == Self.log, let end { count = end }
                files[name]?[Int.random(in: 0..<count, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
            }
        }
        #expect(faults == [])
    }

    /// The negative control: these tests notice a missing or changed row.
    @Test func detectsMissingOrChangedRow() async throws {
        let damaged = try await DamagedStore.closed.value
        let copy = try damaged.write { $0[Self.store]?.replaceSubrange(0..<50, with: Data(count: 50)) }
        var life = try await damaged.life(of: copy)
        #expect(damaged.faults(of: life, pages: []) == [])
        let whole = life
        life.states[Samples.id(25)] = nil
        #expect(damaged.faults(of: life, pages: []).count == 2)
        life = whole
        life.states[Samples.id(25)] = .held
        life.reasons[Samples.id(25)] = .unreadable
        #expect(damaged.faults(of: life, pages: []).count == 1)
        life = whole
        life.sent[Samples.id(25)] = [Samples.mutation(26)]
        #expect(damaged.faults(of: life, pages: []).count == 1)
    }
}

struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 31
    }
}

@Suite struct NewerStoreTests {
    private func files(_ directory: TemporaryDirectory) throws -> [String: Data] {
        Dictionary(
            uniqueKeysWithValues: try directory.names.map { ($0, try Data(contentsOf: URL(fileURLWithPath: directory($0)))) })
    }

    @Test func aStoreOfANewerVersionIsNotTouched() async throws {
        var store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try store.raw { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('later')") }
        try store.outbox.close()
        let before = try files(store.directory)
        #expect(throws: OutboxError.tooNew) { try store.examine() }
        #expect(try files(store.directory) == before)
        // The same holds without the log and with the first page destroyed.
        try await DatabaseQueue(path: store.directory("outbox.sqlite")).writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        var content = try Data(contentsOf: URL(fileURLWithPath: store.directory("outbox.sqlite")))
        content.replaceSubrange(0..<100, with: Data(count: 100))
        try content.write(to: URL(fileURLWithPath: store.directory("outbox.sqlite")))
        let damaged = try files(store.directory)
        #expect(throws: OutboxError.tooNew) { try store.examine() }
        #expect(try files(store.directory) == damaged)
    }
}
