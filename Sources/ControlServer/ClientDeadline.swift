import NIOCore
import NIOHTTPTypes

/// Closes a connection without a request for `idle`, or without the next MiB of a body within `body`. Only time in which the daemon is
/// ready to read counts. During shutdown, a connection without a request stays open for `lastOrders`, because one may be on the way, and
/// one with an unwritten response for `grace`.
final class ClientDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    struct Passed: Error {}

    private let idle: TimeAmount
    private let body: TimeAmount
    private let lastOrders: TimeAmount
    /// Requests without a response.
    private var requests = 0
    private var isInBody = false
    /// Bytes of the current MiB, and the time left for the rest of it.
    private var received = 0
    private var left: TimeAmount
    private var waiting: (since: NIODeadline, timer: Scheduled<Void>)?
    private static let enough = 1 << 20
    private static let grace = TimeAmount.seconds(1)
    /// Set while shutting down: closes the connection unless a request comes first.
    private var end: Scheduled<Void>?
    /// Completes when the last response is written.
    private var answered: EventLoopFuture<Void>?

    init(idle: TimeAmount, body: TimeAmount, lastOrders: TimeAmount) {
        (self.idle, self.body, self.lastOrders, left) = (idle, body, lastOrders, body)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { wait(idle, context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        wait(idle, context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        pause(context)
        switch unwrapInboundIn(data) {
        case .head: (requests, isInBody, received, left) = (requests + 1, true, 0, body)
        case .body(let bytes):
            received += bytes.readableBytes
            if received >= Self.enough { (received, left) = (0, body) }
        case .end: isInBody = false
        }
        if requests == 0 { wait(isInBody ? left : idle, context) }
        context.fireChannelRead(data)
        guard isInBody, let end else { return }
        end.cancel()
        self.end = nil
        context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent, requests == 0 else { return context.fireUserInboundEventTriggered(event) }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        // Even on a slow machine, the loop reads bytes already in the socket before this task.
        end = context.eventLoop.scheduleTask(in: lastOrders) {
            bound.value.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }

    func read(context: ChannelHandlerContext) {
        if isInBody { wait(left, context) }
        context.read()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        requests -= 1
        // The rest of a body may never be read.
        if requests == 0 { wait(isInBody ? left : idle, context) }
        let written = promise ?? context.eventLoop.makePromise()
        answered = written.futureResult
        context.write(data, promise: written)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, let answered else { return context.close(mode: mode, promise: promise) }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        // A client that does not read its response must not delay shutdown.
        let limit = context.eventLoop.scheduleTask(in: Self.grace) { bound.value.close(promise: nil) }
        answered.whenComplete { _ in
            limit.cancel()
            bound.value.close(mode: mode, promise: promise)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        waiting?.timer.cancel()
        end?.cancel()
    }

    private func wait(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        guard waiting == nil else { return }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let timer = context.eventLoop.scheduleTask(in: time) { [isInBody] in
            // As an error, so that a truncated body does not look complete.
            if isInBody { bound.value.fireErrorCaught(Passed()) }
            bound.value.close(promise: nil)
        }
        waiting = (context.eventLoop.now, timer)
    }

    private func pause(_ context: ChannelHandlerContext) {
        guard let (since, timer) = waiting else { return }
        timer.cancel()
        waiting = nil
        left = left - (context.eventLoop.now - since)
    }
}
