import SyncModel
import Testing

@testable import homing_torture

/// The simulated disk of the power-cut campaign must produce only possible images, and all of them.
struct DiskTests {
    private static let sector = 512

    private static func bytes(_ letter: Character, sectors: Int = 1) -> [UInt8] {
        [UInt8](repeating: letter.asciiValue ?? 0, count: sectors * sector)
    }

    /// The distinct results over many seeds.
    private func images(_ records: [Record], _ describe: (Disk.Image) -> String) throws -> Set<String> {
        var disk = Disk()
        for record in records { try disk.apply(record) }
        return Set(
            (0..<400 as Range<UInt64>).map { seed in
                var generator = SplitMix64(seed: seed)
                return describe(disk.image(using: &generator))
            })
    }

    /// The first letter of every sector.
    private func letters(_ path: String) -> (Disk.Image) -> String {
        { image in
            guard let content = image.files[path] else { return "-" }
            return String(decoding: stride(from: 0, to: content.count, by: Self.sector).map { content[$0] }, as: UTF8.self)
        }
    }

    private let old = Record(.placed, "a", data: bytes("o", sectors: 2))
    private let opened = Record(.open, "a", handle: 1)
    private let root = [Record(.open, "", handle: 9, flags: Record.folder), Record(.sync, handle: 9)]

    @Test func syncedDataSurvives() throws {
        let records = [old, opened, Record(.write, handle: 1, data: Self.bytes("n", sectors: 2)), Record(.sync, handle: 1)]
        #expect(try images(records, letters("a")) == ["nn"])
    }

    @Test func sectorsOfOneWriteAreWrittenIndependently() throws {
        #expect(
            try images([old, opened, Record(.write, handle: 1, data: Self.bytes("n", sectors: 2))], letters("a")) == [
                "oo", "on", "no", "nn",
            ])
    }

    @Test func writesToOneSectorKeepTheirOrder() throws {
        let first = Record(.write, handle: 1, data: Self.bytes("1", sectors: 2))
        let second = Record(.write, handle: 1, offset: Self.sector / 2, data: [UInt8](repeating: 0x32, count: Self.sector / 2))
        func sector(_ image: Disk.Image) -> String {
            let content = image.files["a"] ?? []
            return String(decoding: [content[0], content[Self.sector / 2]], as: UTF8.self)
        }
        #expect(try images([old, opened, first, second], sector) == ["oo", "11", "12"])
    }

    @Test func grownFileHasOldOrNewLength() throws {
        let records = [old, opened, Record(.write, handle: 1, offset: 2 * Self.sector, data: Self.bytes("n"))]
        let found = try images(records) { image in "\((image.files["a"] ?? []).count / Self.sector)" }
        #expect(found == ["2", "3"])
    }

    @Test func truncatedFileNeverMixesOldAndNewData() throws {
        let records = [old, opened, Record(.truncate, handle: 1, offset: 0), Record(.write, handle: 1, data: Self.bytes("n"))]
        let found = try images(records) { image in
            let content = image.files["a"] ?? []
            return String(content.count / Self.sector) + (content.contains(0x6F) ? "o" : "") + (content.contains(0x6E) ? "n" : "")
        }
        // Old and new data never mix, because freed blocks are not written to.
        #expect(found.isSuperset(of: ["2o", "0", "1n"]))
        #expect(!found.contains { $0.contains("on") })
    }

    @Test func newFileIsCertainOnceItsFolderIsSynced() throws {
        let records = [
            Record(.open, "b", handle: 1, flags: Record.created), Record(.write, handle: 1, data: Self.bytes("n")),
            Record(.sync, handle: 1),
        ]
        #expect(try images(records, letters("b")) == ["-", "n"])
        #expect(try images(records + root, letters("b")) == ["n"])
    }

    @Test func replacedFileIsOldOrNew() throws {
        let records = [
            old, Record(.open, "b", handle: 1, flags: Record.created), Record(.write, handle: 1, data: Self.bytes("n", sectors: 2)),
            Record(.sync, handle: 1), Record(.rename, "b", second: "a"),
        ]
        #expect(try images(records, letters("a")) == ["oo", "nn"])
        #expect(try images(records + root, letters("a")) == ["nn"])
    }

    @Test func replacedFileWithoutSyncMayHaveAnyContent() throws {
        let records = [
            old, Record(.open, "b", handle: 1, flags: Record.created), Record(.write, handle: 1, data: Self.bytes("n", sectors: 2)),
            Record(.rename, "b", second: "a"),
        ]
        #expect(try images(records + root, letters("a")).isSuperset(of: ["", "nn", "n\0", "\0n"]))
    }

    @Test func movedFileIsInExactlyOneFolder() throws {
        let records = [
            Record(.placedFolder, "x"), Record(.placedFolder, "y"), Record(.placed, "x/a"), Record(.rename, "x/a", second: "y/a"),
        ]
        let found = try images(records) { image in image.files.keys.sorted().joined(separator: " ") }
        #expect(found == ["x/a", "y/a"])
        let synced = [Record(.open, "y", handle: 1, flags: Record.folder), Record(.sync, handle: 1)]
        #expect(try images(records + synced) { image in image.files.keys.sorted().joined(separator: " ") } == ["y/a"])
    }

    @Test func filesVanishWithAnUnsyncedFolder() throws {
        let records = [
            Record(.makeFolder, "x"), Record(.open, "x/a", handle: 1, flags: Record.created), Record(.sync, handle: 1),
            Record(.open, "x", handle: 2, flags: Record.folder), Record(.sync, handle: 2),
        ]
        #expect(try images(records) { image in image.files.keys.sorted().joined() } == ["", "x/a"])
        #expect(try images(records + root) { image in image.files.keys.sorted().joined() } == ["x/a"])
    }

    @Test func sharedMemoryFileIsLost() throws {
        let records = [Record(.open, "a-shm", handle: 1, flags: Record.created), Record(.write, handle: 1, data: [1])] + root
        #expect(try images(records) { image in image.files.keys.joined() } == [""])
    }

    @Test func ignoredSyncMayLoseData() throws {
        var disk = Disk()
        disk.disbelieves = { $0 == "a" }
        for record in [old, opened, Record(.write, handle: 1, data: Self.bytes("n")), Record(.sync, handle: 1)] { try disk.apply(record) }
        let found = Set(
            (0..<100 as Range<UInt64>).map { seed in
                var generator = SplitMix64(seed: seed)
                return disk.image(using: &generator).files["a"]?.first
            })
        #expect(found == [0x6F, 0x6E])
    }

    @Test func recordRoundTripsAndTruncatedRecordIsRejected() throws {
        let record = Record(.rename, "a", second: "b", handle: 1 << 40, flags: 3, offset: 1 << 33, data: [1, 2, 3])
        var place = 0
        let bytes = record.bytes
        let read = try #require(Record(bytes + bytes.prefix(20), at: &place))
        #expect((read.path, read.second, read.handle, read.flags) == ("a", "b", 1 << 40, 3))
        #expect((read.offset, read.data, place) == (1 << 33, [1, 2, 3], bytes.count))
        // A record that a kill truncated.
        #expect(Record(bytes + bytes.prefix(20), at: &place) == nil)
    }
}
