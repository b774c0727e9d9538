import Foundation
import NIOCore
import Synchronization

/// Keeps what the system said when accept(2) failed: NIO tells the listener's pipeline before it closes it, and says no more of it afterwards.
final class AcceptFailure: ChannelInboundHandler, Sendable {
    typealias InboundIn = Channel

    private let latest = Mutex<String?>(nil)

    /// Of the latest failure; nil where there was none.
    var words: String? { latest.withLock(\.self) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let words = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
        latest.withLock { $0 = words }
        context.fireErrorCaught(error)
    }
}
