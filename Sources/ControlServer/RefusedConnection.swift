import ControlAPI
import NIOCore

/// Answers the first bytes of a connection over the limit with 503, then closes it.
final class RefusedConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: ByteBuffer
    private var hasAnswered = false

    /// `ofUser` if the user has all connections that one may have.
    init(ofUser: Bool) { answer = ofUser ? Self.ofUser : Self.ofAll }

    func channelActive(context: ChannelHandlerContext) {
        close(context.channel, in: .seconds(5))
        context.fireChannelActive()
    }

    // An answer before the request is an error for the client.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasAnswered else { return }
        hasAnswered = true
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        // Further input is dropped, so that the client can read the answer before the connection closes.
        context.close(mode: .output, promise: nil)
        close(context.channel, in: .seconds(1))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    private func close(_ channel: any Channel, in time: TimeAmount) {
        channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    private static let ofAll = answer("Too many connections are open to the daemon.")
    private static let ofUser = answer("Too many connections of this user are open to the daemon.")

    private static func answer(_ detail: String) -> ByteBuffer {
        let body = JSONCoding.encoded(Problem.busy(detail))
        var answer = ByteBuffer(
            string: "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nRetry-After: 1\r\n"
                + "Connection: close\r\nContent-Length: \(body.count)\r\n\r\n")
        answer.writeBytes(body)
        return answer
    }
}
