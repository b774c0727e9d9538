import CCompression
import Foundation
import SyncModel
import Testing

@testable import Backends

@Suite struct CompressedRequestTests {
    private static let document = Data(String(repeating: #"{"value":17.25},"#, count: 1000).utf8)
    /// Compressed, so it does not get smaller.
    private static let random = Data((0..<4096).map { _ in UInt8.random(in: .min ... .max) })

    private static func unzipped(_ zipped: Data, to size: Int) -> Data {
        var room = Data(count: size)
        let written = room.withUnsafeMutableBytes { room in
            zipped.withUnsafeBytes { homing_gunzip($0.baseAddress, $0.count, room.baseAddress, room.count) }
        }
        return room.prefix(written)
    }

    @Test(arguments: [1 << 10, 1025, 4096, 16_000])
    func gzipKeepsTheBytes(size: Int) throws {
        let plain = Self.document.prefix(size)
        let zipped = try #require(plain.gzipped)
        #expect(zipped.count < size / 4)
        #expect(Self.unzipped(zipped, to: size) == plain)
        #expect(plain.gzipped == zipped, "another attempt sends the same bytes")
        #expect(Self.unzipped(zipped, to: size - 1).isEmpty)
        #expect(Self.unzipped(zipped.dropLast(), to: size).isEmpty)
    }

    @Test(arguments: [Data(), document.prefix(1023), random]) func leavesShortAndIncompressibleBodiesAsTheyAre(body: Data) {
        #expect(body.gzipped == nil)
    }

    @Test func onlyTheDeclaredRouteIsCompressible() throws {
        let plain = try breathesafe().request(for: mutation(payload: Self.object))
        #expect(!plain.isCompressible)
        let backend = try breathesafe("max_depth: 98", "max_depth: 98\n    compress: gzip")
        let request = try backend.request(for: mutation(payload: Self.object))
        #expect(request.isCompressible && request.body == plain.body)
        #expect(try !backend.request(for: mutation("profile", payload: Self.object)).isCompressible)
    }

    private static let object = Data(#"{"average_measurements":{}}"#.utf8)

    @Test(arguments: [(document, true, true), (document, false, false), (object, true, false), (random, true, false)])
    func sendsLongBodiesAsGzipWhereTheServerTakesIt(body: Data, isCompressible: Bool, isZipped: Bool) async throws {
        let server = try await LoopbackServer(.reply("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
        let transport = try HTTPTransport(TransportLimits(connect: .seconds(600), request: .seconds(600), exchange: .seconds(600)))
        var request = OutboundRequest(method: "POST", url: server.url, body: body)
        request.isCompressible = isCompressible
        #expect(try await transport.send(request).status == 200)
        let head = server.text.components(separatedBy: "\r\n\r\n")[0].lowercased()
        #expect(head.contains("content-encoding: gzip") == isZipped)
        #expect(head.contains("content-length: \(isZipped ? body.gzipped?.count ?? 0 : body.count)"))
        await transport.shutdown()
        try await server.close()
    }
}
