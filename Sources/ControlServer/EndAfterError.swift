import NIOCore

/// Ends a connection on which something came that is no HTTP, or too much of it: its answer has been sent by then, what still comes is read by
/// nobody, and whoever goes on sending would wait in vain.
final class EndAfterError: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    /// How long the answer has to arrive.
    private static let grace = TimeAmount.seconds(1)

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let channel = context.channel
        context.eventLoop.scheduleTask(in: Self.grace) { channel.close(promise: nil) }
        context.fireErrorCaught(error)
    }
}
