import NIOCore
import NIOHTTP1

/// Drops responses that would crash AsyncHTTPClient: it treats every status below 200 as informational, but the parser reads a body and an end after
/// 000 to 099.
final class AnswerGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var hasFailed = false

    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(AnswerGuard(), position: .after(parser))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed else { return }
        guard case .head(let head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        switch head.status.code {
        case 200..<600: context.fireChannelRead(data)
        // The final response follows.
        case 100, 102..<200: break
        // Includes 101: no request asks for another protocol.
        default:
            hasFailed = true
            context.fireErrorCaught(UnusableStatus())
            context.close(promise: nil)
        }
    }
}

struct UnusableStatus: Error {}
