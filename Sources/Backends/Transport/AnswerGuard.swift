import NIOCore
import NIOHTTP1

/// Keeps answers from the HTTP client that would end this process: the client takes every status below 200 for an informational one, which has
/// no body and is not the last, but the parser reads a body and an end after 000 to 099.
final class AnswerGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var hasFailed = false

    /// Between the parser and everything that reads its answers.
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
        // The real answer follows.
        case 100, 102..<200: break
        // 101 is among them: no request asks for another protocol.
        default:
            hasFailed = true
            context.fireErrorCaught(UnusableStatus())
            context.close(promise: nil)
        }
    }
}

/// The answer has a status that HTTP does not have, or one that nothing asked for.
struct UnusableStatus: Error {}
