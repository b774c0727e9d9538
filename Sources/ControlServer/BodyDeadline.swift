import NIOCore
import NIOHTTPTypes

/// Cuts a connection whose request's body does not come to its end in time, however busily it dribbles.
final class BodyDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    struct Passed: Error {}

    private let time: TimeAmount
    private var deadline: Scheduled<Void>?

    init(_ time: TimeAmount) { self.time = time }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            deadline = context.eventLoop.scheduleTask(in: time) {
                // As an error, so that a body cut short is never taken for a whole one.
                bound.value.fireErrorCaught(Passed())
                bound.value.close(promise: nil)
            }
        case .body: break
        case .end: deadline?.cancel()
        }
        context.fireChannelRead(data)
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }
}
