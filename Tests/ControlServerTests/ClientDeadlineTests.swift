import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import ControlServer

@Suite struct ClientDeadlineTests {
    private let channel = EmbeddedChannel()
    private let ends = Ends()

    init() throws {
        try channel.pipeline.syncOperations.addHandlers(
            ClientDeadline(idle: .seconds(10), body: .seconds(60), lastOrders: .seconds(1)), ends)
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/homing.sock")).wait()
    }

    /// Counts the quiesce events that reach later handlers.
    private final class Ends: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart
        var count = 0
        /// True if a request had arrived before the event.
        var isAfterRequest = false
        private var hasRequest = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            hasRequest = true
            context.fireChannelRead(data)
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event is ChannelShouldQuiesceEvent { (count, isAfterRequest) = (count + 1, hasRequest) }
        }
    }

    private func end() { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }

    private func begin() throws {
        let head = HTTPRequest(method: .post, scheme: "http", authority: "homing", path: "/v1/entries")
        try channel.writeInbound(HTTPRequestPart.head(head))
    }

    /// The daemon is ready to read for `time` before the client sends `bytes`.
    private func receive(_ bytes: Int, after time: TimeAmount) throws {
        channel.read()
        channel.embeddedEventLoop.advanceTime(by: time)
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: bytes)))
    }

    private func answer() throws {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .created)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    @Test func eachMebibyteRestartsBodyDeadline() throws {
        try begin()
        for _ in 1...32 {
            for _ in 1...16 { try receive(64 << 10, after: .milliseconds(3_700)) }
        }
        #expect(channel.isActive)
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .seconds(600))
        #expect(channel.isActive)
        _ = try channel.finish()
    }

    @Test func lessThanAMebibyteDoesNotRestartDeadline() throws {
        try begin()
        try receive((1 << 20) - 1, after: .seconds(59))
        #expect(channel.isActive)
        channel.read()
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(throws: ClientDeadline.Passed.self) { try channel.throwIfErrorCaught() }
        #expect(!channel.isActive)
    }

    @Test func cutsABodyThatNeverBegins() throws {
        try begin()
        channel.read()
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(!channel.isActive)
    }

    @Test func doesNotCountTimeWithoutReading() throws {
        try begin()
        for _ in 1...10 {
            try receive(1000, after: .seconds(5))
            channel.embeddedEventLoop.advanceTime(by: .seconds(3600))
        }
        #expect(channel.isActive)
        channel.read()
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(!channel.isActive)
    }

    @Test func closesAConnectionWithoutARequest() throws {
        channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func closesAnIdleConnectionAfterAResponse() throws {
        try begin()
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .seconds(600))
        #expect(channel.isActive)
        try answer()
        channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func servesANewConnectionWhileStopping() throws {
        end()
        #expect(ends.count == 0)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        try begin()
        #expect(ends.count == 1 && ends.isAfterRequest)
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        #expect(ends.count == 1)
    }

    @Test func stopsSilentConnectionsAfterLastOrders() {
        end()
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(ends.count == 1 && !ends.isAfterRequest)
    }

    @Test func forwardsQuiesceEventAtOnceDuringRequest() throws {
        try begin()
        end()
        #expect(ends.count == 1)
    }

    /// Even if nothing reads it.
    @Test func cutsABodyThatContinuesAfterItsResponse() throws {
        try begin()
        try answer()
        for _ in 1...5 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(11))
            try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: 10)))
        }
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        #expect(!channel.isActive)
    }

    @Test func closesAConnectionWhoseClientDoesNotReadItsResponse() throws {
        try begin()
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.write(HTTPResponsePart.head(HTTPResponse(status: .ok)), promise: nil)
        channel.write(HTTPResponsePart.end(nil), promise: nil)
        channel.close(promise: nil)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test func closesAConnectionOnceItsResponseIsWritten() throws {
        try begin()
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.write(HTTPResponsePart.head(HTTPResponse(status: .ok)), promise: nil)
        channel.write(HTTPResponsePart.end(nil), promise: nil)
        channel.close(promise: nil)
        #expect(channel.isActive)
        channel.flush()
        #expect(!channel.isActive)
    }
}

/// The task that answers malformed input may be delayed on a busy machine.
@Suite struct EndAfterErrorTests {
    private let channel = EmbeddedChannel(handler: EndAfterError(patience: .seconds(60)))

    init() throws {
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/homing.sock")).wait()
        channel.pipeline.fireErrorCaught(ClientDeadline.Passed())
    }

    @Test func closesSoonAfterTheResponse() throws {
        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .badRequest)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func closesAfterPatienceWithoutResponse() {
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(!channel.isActive)
    }
}
