import Foundation
import NIOCore
import Synchronization

/// What becomes of a listener on which accept(2) fails. NIO tells its pipeline before it closes the listener, and says no more of it afterwards:
/// what the system said is kept. For want of descriptors or memory it is not closed, but asked again at once, in circles, for whoever waits is
/// still there: it is left alone for a while.
final class AcceptFailure: ChannelInboundHandler, Sendable {
    typealias InboundIn = Channel

    private static let pause: TimeAmount = .milliseconds(500)
    private static let wants: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private let state = Mutex<(latest: String?, takesNobody: Bool)>((nil, false))

    /// Of the latest failure; nil where there was none.
    var words: String? { state.withLock(\.latest) }

    /// From now on no pause ends: nobody is taken any more.
    func takeNobody() { state.withLock { $0.takesNobody = true } }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let words = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
        state.withLock { $0.latest = words }
        if let error = error as? IOError, Self.wants.contains(error.errnoCode) { rest(context.channel) }
        context.fireErrorCaught(error)
    }

    private func rest(_ channel: any Channel) {
        // Failed only where the channel is closed already: then there is nothing to be asked.
        channel.setOption(.autoRead, value: false).whenSuccess {
            channel.eventLoop.scheduleTask(in: Self.pause) {
                if !self.state.withLock(\.takesNobody) { channel.setOption(.autoRead, value: true).whenFailure { _ in } }
            }
        }
    }
}
