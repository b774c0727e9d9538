import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import ControlServer

@Suite struct BodyDeadlineTests {
    private func channel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: BodyDeadline(.seconds(60)))
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/homing.sock")).wait()
        let head = HTTPRequest(method: .post, scheme: "http", authority: "homing", path: "/v1/entries")
        try channel.writeInbound(HTTPRequestPart.head(head))
        return channel
    }

    private func body(_ bytes: Int) -> HTTPRequestPart { .body(ByteBuffer(repeating: 0, count: bytes)) }

    @Test func eachMebibyteStartsTheTimeAnew() throws {
        let channel = try channel()
        for _ in 1...32 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(59))
            for _ in 1...16 { try channel.writeInbound(body(64 << 10)) }
        }
        #expect(channel.isActive)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .seconds(600))
        #expect(channel.isActive)
        _ = try channel.finish()
    }

    @Test func fewerBytesDoNot() throws {
        let channel = try channel()
        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        try channel.writeInbound(body((1 << 20) - 1))
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(throws: BodyDeadline.Passed.self) { try channel.throwIfErrorCaught() }
        #expect(!channel.isActive)
    }
}
