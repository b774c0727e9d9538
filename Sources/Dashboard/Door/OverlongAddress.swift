import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Answers a request whose address is too long to be read, as the doorkeeper answers a shorter one. Hummingbird answers with an empty 400.
final class OverlongAddress: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var isOverlong = false

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The rest of the request.
        if isOverlong { return }
        if case .headerOverflow? = error as? HTTPParserError { isOverlong = true }
        context.fireErrorCaught(error)
    }

    /// Reads the rest of the request: a browser that is still sending does not look for an answer. The lobby, or the idle timeout, limits
    /// how long.
    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if isOverlong { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isOverlong, case .head(let head) = unwrapOutboundIn(data), head.status == .badRequest, head.headerFields[.contentType] == nil
        else {
            context.write(data, promise: promise)
            return
        }
        let page = Catalogue.refusalInEveryLanguage(.address)
        let response = Response.refusal(page, status: Doorkeeper.Refusal.address.status)
        context.write(wrapOutboundOut(.head(response.head)), promise: promise)
        context.write(wrapOutboundOut(.body(ByteBuffer(string: page.source))), promise: nil)
    }
}
