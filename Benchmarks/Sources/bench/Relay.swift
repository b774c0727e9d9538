import NIOCore
import NIOPosix

/// The way to a server that is some time away.
enum Relay {
    /// Leads to `port`. A connection takes one round trip to open, like each request on it to be answered.
    ///
    /// - Parameter roundTrip: in milliseconds.
    static func listener(to port: Int, roundTrip: Int, on loop: any EventLoop) -> Listener {
        let half = TimeAmount.microseconds(Int64(roundTrip) * 500)
        return Listener(on: loop) { channel in
            // The kernel accepts at once, so the first bytes come before a distant server could have accepted.
            let accepted = NIODeadline.now() + half + half
            return ClientBootstrap(group: channel.eventLoop).connect(host: "127.0.0.1", port: port).flatMapThrowing { peer in
                try peer.pipeline.syncOperations.addHandler(Delay(half, to: channel, notBefore: accepted))
                try channel.pipeline.syncOperations.addHandler(Delay(half, to: peer, notBefore: accepted))
            }
        }
    }
}

/// Passes on what one side of a connection sends, later and in order.
private final class Delay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let time: TimeAmount
    private let peer: any Channel
    private let start: NIODeadline
    /// Nil for the end.
    private var parts = CircularBuffer<(due: NIODeadline, part: ByteBuffer?)>()

    init(_ time: TimeAmount, to peer: any Channel, notBefore start: NIODeadline) {
        (self.time, self.peer, self.start) = (time, peer, start)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { pass(unwrapInboundIn(data), context.eventLoop) }
    func channelInactive(context: ChannelHandlerContext) { pass(nil, context.eventLoop) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func pass(_ part: ByteBuffer?, _ loop: any EventLoop) {
        let due = max(NIODeadline.now(), start) + time
        parts.append((due, part))
        loop.assumeIsolated().scheduleTask(deadline: due) { self.passDue() }
    }

    private func passDue() {
        while let (due, part) = parts.first, due <= .now() {
            parts.removeFirst()
            if let part { peer.writeAndFlush(part, promise: nil) } else { peer.close(promise: nil) }
        }
    }
}
