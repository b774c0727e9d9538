import NIOCore
import Synchronization

/// The connections that no admitted request has come from yet. Each may stay a short time, and the oldest leaves when there are too many, so that
/// they never take the room of the person's own.
final class Lobby: Sendable {
    private let strangers = Mutex<[any Channel]>([])
    private let patience: TimeAmount

    /// - Parameter patience: until the complete head of the first request.
    init(patience: TimeAmount = .seconds(5)) { self.patience = patience }

    static let room = 64

    func enter(_ channel: any Channel) {
        let oldest = strangers.withLock { strangers in
            strangers.append(channel)
            return strangers.count > Self.room ? strangers.removeFirst() : nil
        }
        oldest?.close(mode: .all, promise: nil)
        channel.eventLoop.scheduleTask(in: patience) {
            if self.leave(channel) { channel.close(mode: .all, promise: nil) }
        }
        channel.closeFuture.whenComplete { _ in self.leave(channel) }
    }

    /// True if the channel was here.
    @discardableResult func leave(_ channel: any Channel) -> Bool {
        strangers.withLock { strangers in
            guard let index = strangers.firstIndex(where: { $0 === channel }) else { return false }
            strangers.remove(at: index)
            return true
        }
    }
}

/// Takes a new connection to the lobby.
final class Newcomer: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let lobby: Lobby

    init(lobby: Lobby) { self.lobby = lobby }

    func handlerAdded(context: ChannelHandlerContext) { lobby.enter(context.channel) }
}
