import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Guards a connection against responses that crash AsyncHTTPClient: it takes every status below 200 for informational, but the parser
/// reads an end after 000 to 099. Ends connections that the server would soon close, or that receive bytes while idle
/// (Decisions/WhetherItWasSent.md).
final class AnswerGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private enum Exchange {
        case open
        /// In the current read.
        case ended
        case none
    }

    private let idle: Duration
    private var exchange = Exchange.open
    private var hasFailed = false

    private init(idle: Duration) { self.idle = idle }

    /// - Parameter idle: how long the connection stays open for the next request.
    static func add(to channel: any Channel, idle: Duration) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(AnswerGuard(idle: idle), position: .after(parser))
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard exchange == .open, mode == .all, let socket = context.channel as? any SocketOptionProvider else {
            return context.close(mode: mode, promise: promise)
        }
        // It fails only if the connection is already closed.
        _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        // `try?`: without TLS there is no such handler. A TLS close could wait for five seconds.
        let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)
        (tls ?? context).close(mode: mode, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed else { return }
        let part = unwrapInboundIn(data)
        if case .end = part { exchange = .ended }
        guard case .head(let head) = part else { return context.fireChannelRead(data) }
        switch head.status.code {
        case 200..<600: context.fireChannelRead(wrapInboundOut(.head(head.endingSoon(within: idle))))
        // The final response follows.
        case 100, 102..<200: break
        // Includes 101: no request asks for another protocol.
        default:
            hasFailed = true
            context.fireErrorCaught(UnusableStatus())
            context.close(promise: nil)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        switch exchange {
        case .open: break
        case .ended: exchange = .none
        // The parser would take the rest of this one for the next response.
        case .none: context.fireErrorCaught(NIOHTTPDecoderError.unsolicitedResponse)
        }
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head = unwrapOutboundIn(data) { exchange = .open }
        context.write(data, promise: promise)
    }
}

extension HTTPResponseHead {
    /// With `Connection: close` if the server keeps the connection for at most twice this time (`Keep-Alive: timeout`).
    fileprivate func endingSoon(within idle: Duration) -> Self {
        let limit = headers[canonicalForm: "Keep-Alive"].lazy.map { $0.lowercased() }.first { $0.hasPrefix("timeout=") }
        guard let seconds = limit.flatMap({ Int($0.dropFirst(8)) }), .seconds(seconds) <= idle * 2 else { return self }
        var head = self
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        return head
    }
}

struct UnusableStatus: Error {}
