import Files
import Foundation
import Glibc
import Outbox
import SyncModel
import SystemPackage
import TestSupport
import Testing

@testable import Capture

@Suite struct SpoolNamesTests {
    private func path(_ drop: Drop, _ folder: String, _ name: [UInt8]) throws -> FilePath {
        try FileManager.default.createDirectory(atPath: drop.path(folder), withIntermediateDirectories: true)
        return FilePath(drop.path(folder)) / FilePath(platformString: name.map(CChar.init(bitPattern:)) + [0])
    }

    /// `grün.json` in Latin-1, an invalid first byte, a truncated character, and a name of maximum length.
    private static let names: [[UInt8]] = [
        Array("gr".utf8) + [0xFC] + Array("n.json".utf8), [0xFF], [0xE6, 0xB8] + Array(".json".utf8),
        Array(repeating: 0xFE, count: 250) + Array(".json".utf8),
    ]

    @Test(arguments: names) func takesFilesWithAnyName(name: [UInt8]) async throws {
        let drop = try Drop()
        let path = try path(drop, "new/users/5", name)
        try drop.put(Data(Drop.capture(1).utf8), path)
        #expect(drop.spool.counts().waiting == 1)
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(1)])
        #expect(!SpoolFolders(root: drop.path("")).exists(path))
        #expect(drop.spool.counts() == (0, 0))
        #expect(try drop.names("taken").isEmpty)
    }

    @Test(arguments: names) func aRefusedFileHasALegibleName(name: [UInt8]) async throws {
        let drop = try Drop()
        try drop.put(Data("no capture".utf8), try path(drop, "new", name))
        await drop.spool.sweep()
        #expect(drop.spool.counts() == (0, 1))
        let kept = try #require(try drop.names("refused").first { !$0.hasSuffix(".reason") })
        #expect(kept.utf8.count <= 240)
        #expect(String(decoding: name, as: UTF8.self).hasSuffix(kept))
        #expect(try drop.content("refused/" + kept) == "no capture")
        #expect(try drop.reason(kept).hasPrefix("The file is not a JSON object."))
    }

    @Test func twoNamesThatLookTheSameAreTwoFiles() async throws {
        let drop = try Drop()
        for (number, byte) in [UInt8(0xFE), 0xFF].enumerated() {
            try drop.put(Data(Drop.capture(number).utf8), try path(drop, "new/users/5", [0x61, byte]), age: Double(9 - number))
        }
        #expect(drop.spool.counts().waiting == 2)
        await drop.spool.sweep()
        #expect(try await drop.documents() == [0, 1].map(Drop.capture))
    }

    @Test func storesLeftoverAndRefusesForeignFileInTaken() async throws {
        let drop = try Drop()
        let name = TakenName(id: Samples.id(1), backend: "breathesafe", account: "1", folder: "5", original: "a.json")
        try drop.put(Data(Drop.capture(1).utf8), try path(drop, "taken", Array(name.text.utf8) + [0xFF]))
        try drop.put(Data(Drop.capture(2).utf8), try path(drop, "taken", [0x61, 0xFF]))
        await drop.spool.sweep()
        #expect(try await drop.entries().map(\.id) == [name.id])
        #expect(try drop.names("refused") == ["a\u{FFFD}", "a\u{FFFD}.reason"])
    }

    @Test func refusesFileInFolderThatIsNotUTF8() async throws {
        let drop = try Drop()
        let folder = try path(drop, "new/users", [0x35, 0xB2])
        try #require(folder.withPlatformString({ mkdir($0, 0o755) }) == 0)
        try drop.put(Data(Drop.capture(1).utf8), folder / "a.json", age: 90)
        try drop.put(Drop.capture(2), "new/users/5/b.json")
        #expect(drop.spool.counts().waiting == 2)
        await drop.spool.sweep()
        #expect(try await drop.documents() == [Drop.capture(2)])
        #expect(try drop.reason("a.json") == "The file’s folder name is not valid UTF-8. Expected a user’s number.")
        #expect(try drop.content("refused/a.json") == Drop.capture(1))
        try #require(folder.withPlatformString(rmdir) == 0)
    }

    @Test func noticesNamesThatAreNotUTF8WhileRunning() async throws {
        let drop = try Drop()
        let folder = try path(drop, "new/users", [0xB2])
        try await drop.running { news in
            try drop.put(Data(Drop.capture(1).utf8), try path(drop, "new/users/5", [0xFF]))
            try await drop.stored(1, news)
            try #require(folder.withPlatformString({ mkdir($0, 0o755) }) == 0)
            try drop.put(Data(Drop.capture(2).utf8), folder / "a.json")
            for await _ in news where drop.spool.counts().refused == 1 { break }
        }
        #expect(try drop.names("refused") == ["a.json", "a.json.reason"])
        try #require(folder.withPlatformString(rmdir) == 0)
    }
}
