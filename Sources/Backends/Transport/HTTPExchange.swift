import AsyncHTTPClient
import Foundation
import JSON
import NIOCore
import NIOHTTP1
import SyncModel
import Synchronization

/// Collects a response and tracks whether the request was sent. An error before `hasSentHead` means no effect; the client's async interface
/// does not show the difference.
final class HTTPExchange: HTTPClientResponseDelegate {
    private struct Progress {
        /// When the request head was sent.
        var begin: NIODeadline?
        /// The whole request was sent.
        var isSent = false
        /// The last transfer in either direction.
        var movedAt = NIODeadline.now()
        /// Body bytes in both directions.
        var moved = 0
        var timer: Scheduled<Void>?
        var head: HTTPResponseHead?
        var body = Data()
    }

    struct Times: Sendable {
        /// The maximum time without a transfer.
        var silence: TimeAmount
        /// The maximum total time for empty bodies; body bytes extend it.
        var whole: TimeAmount

        /// The slowest supported connection, in bytes per second (64 kbit/s).
        private static let slowest = 8 << 10

        func ceiling(moving bytes: Int) -> TimeAmount { whole + .milliseconds(Int64(bytes) * 1000 / Int64(Self.slowest)) }
    }

    private let secrets: Set<Secret>
    private let times: Times
    private let limit: Int
    private let progress = Mutex(Progress())

    /// - Parameter limit: the maximum response body, in bytes.
    init(hiding secrets: Set<Secret>, times: Times, atMost limit: Int) {
        self.secrets = secrets
        self.times = times
        self.limit = limit
    }

    /// If true, the server may be processing the request.
    var hasSentHead: Bool { progress.withLock { $0.begin != nil } }

    /// The status of a success to the whole request, if its head arrived and says that the body is JSON; nil for other answers, and without one.
    var success: Int? {
        guard let head = progress.withLock({ $0.isSent ? $0.head : nil }), (200..<300).contains(head.status.code) else { return nil }
        return InboundResponse.saysJSON(head.fields) ? Int(head.status.code) : nil
    }

    func didSendRequestHead(task: HTTPClient.Task<InboundResponse>, _ head: HTTPRequestHead) {
        let now = NIODeadline.now()
        progress.withLock { ($0.begin, $0.movedAt) = (now, now) }
        watch(task)
    }

    func didSendRequestPart(task: HTTPClient.Task<InboundResponse>, _ part: IOData) { note(part.readableBytes) }

    func didSendRequest(task: HTTPClient.Task<InboundResponse>) { progress.withLock { $0.isSent = true } }

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
            return InboundResponse(status: Int(head.status.code), headers: head.fields, body: progress.body, secrets: secrets)
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

    /// Fails the exchange when its time is over.
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

extension HTTPResponseHead {
    fileprivate var fields: [HeaderField] { headers.map { HeaderField($0.name, $0.value) } }
}

struct BudgetSpent: Error {}
