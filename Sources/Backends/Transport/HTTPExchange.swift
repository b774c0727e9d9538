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
        var timers: [Scheduled<Void>] = []
        var head: HTTPResponseHead?
        var body = ByteBuffer()
    }

    private let secrets: Set<Secret>
    private let headTime, wholeTime: TimeAmount
    private let limit: Int
    private let progress = Mutex(Progress())

    /// - Parameters:
    ///   - secrets: what the request carries and nobody may see.
    ///   - head: how long to wait for the answer's head once the request has gone out.
    ///   - whole: how long until the answer's last byte. (The client's own deadline would count the connecting too.)
    ///   - limit: the longest body that is read, in bytes.
    init(hiding secrets: Set<Secret>, head: TimeAmount, whole: TimeAmount, atMost limit: Int) {
        self.secrets = secrets
        (headTime, wholeTime) = (head, whole)
        self.limit = limit
    }

    /// Whether the request's head has gone out, so that the server may be at work on it.
    var hasSentHead: Bool { progress.withLock { $0.hasSentHead } }

    func didSendRequestHead(task: HTTPClient.Task<InboundResponse>, _ head: HTTPRequestHead) {
        let timers = [headTime, wholeTime].map { time in
            task.eventLoop.scheduleTask(in: time) { task.fail(reason: BudgetSpent()) }
        }
        progress.withLock { ($0.hasSentHead, $0.timers) = (true, timers) }
    }

    func didReceiveHead(task: HTTPClient.Task<InboundResponse>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        progress.withLock { progress in
            progress.head = head
            progress.timers.first?.cancel()
        }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<InboundResponse>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        let fits = progress.withLock { progress in
            progress.body.writeImmutableBuffer(part)
            return progress.body.readableBytes <= limit
        }
        return fits ? task.eventLoop.makeSucceededVoidFuture() : task.eventLoop.makeFailedFuture(NIOTooManyBytesError(maxBytes: limit))
    }

    func didReceiveError(task: HTTPClient.Task<InboundResponse>, _ error: any Error) { stopTimers() }

    private func stopTimers() {
        for timer in progress.withLock({ $0.timers }) { timer.cancel() }
    }

    func didFinishRequest(task: HTTPClient.Task<InboundResponse>) throws -> InboundResponse {
        stopTimers()
        return try progress.withLock { progress in
            guard let head = progress.head else { throw HTTPClientError.remoteConnectionClosed }
            return InboundResponse(
                status: Int(head.status.code), headers: head.headers.map { HeaderField($0.name, $0.value) },
                body: Data(progress.body.readableBytesView), secrets: secrets)
        }
    }
}
