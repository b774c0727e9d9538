import CCompression
import Foundation
import TestSupport
import Testing
import Vault

struct CompressionTests {
    private static func document(_ size: Int) -> Data {
        let unit = #"{"value":17.25},"#
        return Data(String(repeating: unit, count: size / unit.utf8.count + 1).utf8.prefix(size))
    }

    /// As `Compression.compressed`, without its limits.
    private static func frame(_ plain: Data) -> Data {
        let context = homing_zstd_context()
        defer { homing_zstd_free(context) }
        var room = Data(count: plain.count)
        let size = room.withUnsafeMutableBytes { room in
            plain.withUnsafeBytes { homing_zstd(context, $0.baseAddress, $0.count, room.baseAddress, room.count) }
        }
        return Data(room.prefix(size))
    }

    @Test(arguments: [Compression.least, 1025, 2000, 4096, 17_000, 1 << 17, (1 << 17) + 1, 200_000, Compression.most])
    func expandsToTheSameBytes(size: Int) throws {
        let plain = Self.document(size)
        let compressed = try #require(Compression.compressed(plain))
        #expect(compressed.count <= size / 4 * 3)
        #expect(Compression.expanded(compressed) == plain)
    }

    @Test(arguments: [0, 1, Compression.least - 1, Compression.most + 1])
    func leavesSmallAndHugeDocumentsAsTheyAre(size: Int) { #expect(Compression.compressed(Self.document(size)) == nil) }

    @Test(arguments: [Compression.least, 2000, 17_000, 1 << 20, 3 << 20])
    func leavesDocumentsThatSaveLittleAsTheyAre(size: Int) {
        #expect(Compression.compressed(Data(Samples.noise(size).utf8)) == nil)
    }

    @Test func realCapturesTakeAThirdOfTheirSize() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Data/arkit")
        let captures = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        #expect(captures.count == 12)
        for name in captures {
            let capture = try Data(contentsOf: folder.appendingPathComponent(name))
            let compressed = try #require(Compression.compressed(capture))
            #expect(compressed.count * 3 < capture.count)
            #expect(Compression.expanded(compressed) == capture)
        }
    }

    @Test func refusesMoreThanTheLimit() {
        #expect(Compression.expanded(Self.frame(Data(count: Compression.most)))?.count == Compression.most)
        #expect(Compression.expanded(Self.frame(Data(count: Compression.most + 1))) == nil)
    }

    /// The fifth and sixth byte of such a frame state its size, less 256 (RFC 8878 3.1.1.1).
    @Test(arguments: [-1, 1, -1744, 40_000]) func refusesAnotherSizeThanTheStatedOne(difference: Int) throws {
        var frame = try #require(Compression.compressed(Self.document(2000)))
        #expect(frame[5...6].elementsEqual([UInt8(1744 & 0xff), UInt8(1744 >> 8)]))
        let stated = 1744 + difference
        frame.replaceSubrange(5...6, with: [UInt8(stated & 0xff), UInt8(stated >> 8)])
        #expect(Compression.expanded(frame) == nil)
    }

    @Test func refusesDamagedFrames() throws {
        let plain = Self.document(2000)
        let frame = try #require(Compression.compressed(plain))
        let damaged = [Data(), frame.dropLast(), frame.dropFirst(), frame + frame, frame + Data([0]), Data(frame.reversed()), plain]
        for frame in damaged { #expect(Compression.expanded(frame) == nil) }
        // The store’s seal detects other changes. None may do harm here.
        for index in frame.indices {
            var changed = frame
            changed[index] ^= 0xff
            #expect(Compression.expanded(changed).map { $0.count <= Compression.most } ?? true)
        }
        #expect(Compression.expanded((Data([7]) + frame).dropFirst()) == plain)
    }
}
