import NIOCore
import NIOTLS

/// Reports how a TLS handshake ends. If the peer resets the connection before it takes the refusal of its certificate, NIOSSL reports the
/// reset first, and then the refusal. So an error that does not name its cause counts only at the end of the channel.
final class HandshakeEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let promise: EventLoopPromise<Void>
    private var first: (any Error)?

    /// - Parameter promise: completed at the latest when the handler is removed.
    init(_ promise: EventLoopPromise<Void>) { self.promise = promise }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { promise.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if first == nil { first = error }
        if TransportError.namesCause(error) { promise.fail(error) }
        context.close(promise: nil)
    }

    /// The channel removes its handlers when it has closed.
    func handlerRemoved(context: ChannelHandlerContext) { promise.fail(first ?? ChannelError.eof) }
}
