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
        /// When the request's head went out; nil before.
        var begin: NIODeadline?
        /// When bytes last moved, either way.
        var movedAt = NIODeadline.now()
        /// Body bytes that have moved, both ways together.
        var moved = 0
        var timer: Scheduled<Void>?
        var head: HTTPResponseHead?
        var body = Data()
    }

    /// How long an exchange may take.
    struct Times: Sendable {
        /// For how long no byte need move, either way.
        var silence: TimeAmount
        /// How long the exchange of two empty bodies may take as a whole; each byte of a body adds to it.
        var whole: TimeAmount

        /// The slowest connection for which there is time, in bytes a second (64 kbit/s).
        private static let slowest = 8 << 10

        /// The longest that an exchange of so many bytes may take.
        func ceiling(moving bytes: Int) -> TimeAmount { whole + .milliseconds(Int64(bytes) * 1000 / Int64(Self.slowest)) }
    }

    private let secrets: Set<Secret>
    private let times: Times
    private let limit: Int
    private let progress = Mutex(Progress())

    /// - Parameters:
    ///   - secrets: what the request carries and nobody may see.
    ///   - limit: the longest body that is read, in bytes.
    init(hiding secrets: Set<Secret>, times: Times, atMost limit: Int) {
        self.secrets = secrets
        self.times = times
        self.limit = limit
    }

    /// Whether the request's head has gone out, so that the server may be at work on it.
    var hasSentHead: Bool { progress.withLock { $0.begin != nil } }

    func didSendRequestHead(task: HTTPClient.Task<InboundResponse>, _ head: HTTPRequestHead) {
        let now = NIODeadline.now()
        progress.withLock { ($0.begin, $0.movedAt) = (now, now) }
        watch(task)
    }

    func didSendRequestPart(task: HTTPClient.Task<InboundResponse>, _ part: IOData) { note(part.readableBytes) }

    func didReceiveHead(task: HTTPClient.Task<InboundResponse>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        progress.withLock { $0.head = head }
        note(0)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<InboundResponse>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        note(part.readableBytes)
        let fits = progress.withLock { progress in
            part.withUnsafeReadableBytes { progress.body.append(contentsOf: $0) }
            return progress.body.count <= limit
        }
        return fits ? task.eventLoop.makeSucceededVoidFuture() : task.eventLoop.makeFailedFuture(NIOTooManyBytesError(maxBytes: limit))
    }

    func didReceiveError(task: HTTPClient.Task<InboundResponse>, _ error: any Error) { stopWatching() }

    func didFinishRequest(task: HTTPClient.Task<InboundResponse>) throws -> InboundResponse {
        stopWatching()
        return try progress.withLock { progress in
            guard let head = progress.head else { throw HTTPClientError.remoteConnectionClosed }
            return InboundResponse(
                status: Int(head.status.code), headers: head.headers.map { HeaderField($0.name, $0.value) },
                body: progress.body, secrets: secrets)
        }
    }

    // MARK: Time

    private func note(_ bytes: Int) {
        let now = NIODeadline.now()
        progress.withLock { progress in
            progress.movedAt = now
            progress.moved += bytes
        }
    }

    /// Ends the exchange when its time is over; looks again at the earliest moment at which that can be.
    private func watch(_ task: HTTPClient.Task<InboundResponse>) {
        let end = progress.withLock { progress in
            min(progress.movedAt + times.silence, (progress.begin ?? progress.movedAt) + times.ceiling(moving: progress.moved))
        }
        guard end > .now() else { return task.fail(reason: BudgetSpent()) }
        let timer = task.eventLoop.scheduleTask(deadline: end) { self.watch(task) }
        progress.withLock { $0.timer = timer }
    }

    private func stopWatching() { progress.withLock { $0.timer }?.cancel() }
}

/// The exchange took longer than it may.
struct BudgetSpent: Error {}
