import NIOCore
import NIOHTTPTypes

/// Cuts a connection whose request body takes longer than `time` to end or to bring another MiB.
final class BodyDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    struct Passed: Error {}

    private let time: TimeAmount
    private var deadline: Scheduled<Void>?
    /// Bytes since the time began.
    private var received = 0
    private static let enough = 1 << 20

    init(_ time: TimeAmount) { self.time = time }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: begin(context)
        case .body(let bytes):
            received += bytes.readableBytes
            if received >= Self.enough { begin(context) }
        case .end: deadline?.cancel()
        }
        context.fireChannelRead(data)
    }

    private func begin(_ context: ChannelHandlerContext) {
        received = 0
        deadline?.cancel()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: time) {
            // As an error, so that a body cut short is never taken for a whole one.
            bound.value.fireErrorCaught(Passed())
            bound.value.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }
}
