import Foundation
import Glibc
import Outbox
import SyncModel
import SystemPackage
import TestSupport
import Testing

@testable import Capture

@Suite struct SpoolMetadataTests {
    private static let seed = UInt64.random(in: .min ... .max)

    /// Limits of 64-bit nanoseconds, of calendars and of 32 bits, and implausible values.
    private static let times: [Int] = [
        0, -1, 1, -62_135_596_800, 946_684_800, 2_147_483_647, 2_147_483_648, 4_294_967_296, 9_223_372_036, 9_223_372_037, -9_223_372_037,
        10_413_792_000, 253_402_300_799, 253_402_300_800, .max, .min, .max / 1_000_000_000, 1_765_000_000_000,
    ]

    @Test(arguments: times) func takesFilesWithAnyModificationTime(seconds: Int) async throws {
        let drop = try Drop()
        for (number, name) in [(1, "a"), (2, "b")] {
            try drop.put(Drop.capture(number), "new/users/5/\(name).json")
            setTimes(of: drop.path("new/users/5/\(name).json"), modified: seconds, nanoseconds: 999_999_999)
        }
        for folder in ["new/users/5", "new/users", "new", "taken", "refused"] { setTimes(of: drop.path(folder), modified: seconds) }
        #expect(drop.spool.counts() == (2, 0))
        await drop.spool.sweep()
        #expect(try await drop.documents() == [1, 2].map(Drop.capture))
        #expect(await !drop.spool.mayHaveChanged || drop.spool.counts() == (0, 0))
    }

    @Test func timesAreComparedWithoutOverflow() {
        let all = Self.times.map { FileTime(seconds: Int64($0), nanoseconds: 999_999_999) } + [FileTime(seconds: .max, nanoseconds: .max)]
        for a in all {
            for b in all {
                #expect((a < b) == (a.seconds < b.seconds || a.seconds == b.seconds && a.nanoseconds < b.nanoseconds))
                #expect(a.since(b).isFinite)
                #expect((a.since(b) > 0) == (b.since(a) < 0))
            }
            _ = (a.date.ms, FolderCounts.coarseness(of: a))
        }
    }

    @Test func sizesAreAddedWithoutOverflow() async throws {
        let drop = try Drop()
        func candidate(_ size: Int64) -> SpoolFolders.Candidate {
            SpoolFolders.Candidate(path: "a", directory: "b", name: "a", modifiedAt: FileTime(seconds: 0), size: size, inode: 1)
        }
        var files = [candidate(5), candidate(.max), candidate(7)][...]
        #expect(await drop.spool.batch(from: &files).count == 2)
        #expect(files.count == 1)
    }

    @Test func losesNoFileWithRandomMetadata() async throws {
        var generator = SplitMix(state: Self.seed)
        let drop = try Drop()
        var expected: Set<String> = []
        var refused = 0
        for number in 0..<120 {
            let path = drop.path("new/users/\(5 + number % 3)/\(number).json")
            let kind = Int.random(in: 0..<10, using: &generator)
            var content = #"{"average_measurements":{"1-2":{"value":\#(number)}},"timestamp":\#(Self.number(&generator))}"#
            if kind == 0 { content = "" }
            if kind == 1 { content = "1" }
            if kind > 1 { expected.insert(content) } else { refused += 1 }
            try drop.put(content, "new/users/\(5 + number % 3)/\(number).json")
            let seconds =
                Bool.random(using: &generator)
                ? Self.times.randomElement(using: &generator) ?? 0 : Int.random(in: -100_000_000_000...300_000_000_000, using: &generator)
            chmod(path, mode_t.random(in: 0...0o7777, using: &generator) | 0o400)
            setTimes(of: path, modified: seconds, nanoseconds: .random(in: 0..<1_000_000_000, using: &generator))
        }
        for _ in 1...2 { await drop.spool.sweep() }
        let documents = try await drop.documents()
        #expect(Set(documents) == expected && documents.count == expected.count, "seed \(Self.seed)")
        #expect(drop.spool.counts() == (0, refused), "seed \(Self.seed)")
    }

    private static func number(_ generator: inout SplitMix) -> String {
        let odd = [
            "0", "-1", "1e308", "-1e308", "1e-400", "9223372036854775807", "9223372036854775808", "18446744073709551616", "\"NaN\"",
            "\"Infinity\"", "null", "1764000000", "1764000000.999999999", "253402300800",
        ]
        return odd.randomElement(using: &generator) ?? "0"
    }
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
