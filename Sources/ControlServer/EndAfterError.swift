import NIOCore
import NIOHTTPTypes

/// Ends a connection on which something came that is no HTTP, or too much of it: what still comes is read by nobody, and whoever goes on sending
/// would wait in vain.
final class EndAfterError: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// How long the answer has to arrive once it is written.
    private static let grace = TimeAmount.seconds(1)
    /// How long it may take until there is one.
    private let patience: TimeAmount
    private var hasFailed = false

    init(patience: TimeAmount) { self.patience = patience }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !hasFailed { end(context.channel, in: patience) }
        hasFailed = true
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if hasFailed, case .end = unwrapOutboundIn(data) { end(context.channel, in: Self.grace) }
        context.write(data, promise: promise)
    }

    private func end(_ channel: any Channel, in time: TimeAmount) {
        channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}
