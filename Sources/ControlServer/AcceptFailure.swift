import Foundation
import NIOCore
import Synchronization

/// NIO reports an accept(2) failure only to the listener's pipeline, then closes the listener; this keeps the text. Without descriptors or
/// memory, NIO would retry in a busy loop, so accepting pauses.
final class AcceptFailure: ChannelInboundHandler, Sendable {
    typealias InboundIn = Channel

    private static let pause: TimeAmount = .milliseconds(500)
    private static let shortages: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private let state = Mutex<(latest: String?, hasStopped: Bool)>((nil, false))

    var words: String? { state.withLock(\.latest) }

    /// Stops accepting for good: no pause re-enables it.
    func stopAccepting() { state.withLock { $0.hasStopped = true } }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let words = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
        state.withLock { $0.latest = words }
        if let error = error as? IOError, Self.shortages.contains(error.errnoCode) { pauseAccepting(context.channel) }
        context.fireErrorCaught(error)
    }

    private func pauseAccepting(_ channel: any Channel) {
        // Fails only on a closed channel, which needs nothing more.
        channel.setOption(.autoRead, value: false).whenSuccess {
            channel.eventLoop.scheduleTask(in: Self.pause) {
                if !self.state.withLock(\.hasStopped) { channel.setOption(.autoRead, value: true).whenFailure { _ in } }
            }
        }
    }
}
