import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// One request on its way: gathers the answer, and knows how far the request has got.
///
/// The client's async interface does not tell a connection that broke while it was made from one that broke under the request; here no error
/// before `hasSentHead` can have had an effect at the server.
final class HTTPExchange: HTTPClientResponseDelegate {
    private struct Progress {
        var hasSentHead = false
        var head: HTTPResponseHead?
        var body = ByteBuffer()
    }

    private let limit: Int
    private let progress = Mutex(Progress())

    /// - Parameter limit: the longest body that is read, in bytes.
    init(atMost limit: Int) { self.limit = limit }

    /// Whether the request's head has gone out, so that the server may be at work on it.
    var hasSentHead: Bool { progress.withLock { $0.hasSentHead } }
    var hasReceivedHead: Bool { progress.withLock { $0.head != nil } }

    func didSendRequestHead(task: HTTPClient.Task<InboundResponse>, _ head: HTTPRequestHead) {
        progress.withLock { $0.hasSentHead = true }
    }

    func didReceiveHead(task: HTTPClient.Task<InboundResponse>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        progress.withLock { $0.head = head }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<InboundResponse>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        let fits = progress.withLock { progress in
            progress.body.writeImmutableBuffer(part)
            return progress.body.readableBytes <= limit
        }
        return fits ? task.eventLoop.makeSucceededVoidFuture() : task.eventLoop.makeFailedFuture(NIOTooManyBytesError(maxBytes: limit))
    }

    func didFinishRequest(task: HTTPClient.Task<InboundResponse>) throws -> InboundResponse {
        try progress.withLock { progress in
            guard let head = progress.head else { throw HTTPClientError.remoteConnectionClosed }
            return InboundResponse(
                status: Int(head.status.code), headers: head.headers.map { HeaderField($0.name, $0.value) },
                body: Data(progress.body.readableBytesView))
        }
    }
}
