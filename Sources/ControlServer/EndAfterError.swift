import NIOCore
import NIOHTTPTypes

/// Closes a connection after a parser error: no handler reads further input, so a client still sending would block.
final class EndAfterError: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// How long the client may take to read a written response.
    private static let grace = TimeAmount.seconds(1)
    /// How long the response may take.
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
