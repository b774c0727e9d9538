import NIOCore
import NIOPosix
import Synchronization

/// A loopback port that can refuse connections for a while, as if its server were down.
final class Listener: Sendable {
    private struct State: Sendable {
        var port = 0
        var listening: (any Channel)?
        var open: [ObjectIdentifier: any Channel] = [:]
        var connections = 0
    }

    private let loop: any EventLoop
    private let setUp: @Sendable (any Channel) -> EventLoopFuture<Void>
    private let state = Mutex(State())

    /// - Parameter setUp: adds the handlers of a connection.
    init(on loop: any EventLoop, setUp: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>) {
        (self.loop, self.setUp) = (loop, setUp)
    }

    /// 0 before it listens for the first time.
    var port: Int { state.withLock { $0.port } }
    /// Accepted so far.
    var connections: Int { state.withLock { $0.connections } }

    /// Listens, always on the same port.
    func goUp() async throws {
        guard state.withLock({ $0.listening == nil }) else { return }
        let channel = try await ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { [self] channel in
                note(channel)
                return setUp(channel)
            }
            .bind(host: "127.0.0.1", port: port).get()
        state.withLock {
            $0.listening = channel
            $0.port = channel.localAddress?.port ?? 0
        }
    }

    /// Refuses connections, and closes those that are open.
    func goDown() async throws {
        let listening = state.withLock { state in
            defer { state.listening = nil }
            return state.listening
        }
        try await listening?.close()
        // `try?`: the other side may have closed it meanwhile.
        for channel in state.withLock({ Array($0.open.values) }) { try? await channel.close() }
    }

    private func note(_ channel: any Channel) {
        let key = ObjectIdentifier(channel)
        state.withLock {
            $0.connections += 1
            $0.open[key] = channel
        }
        channel.closeFuture.whenComplete { [self] _ in state.withLock { $0.open[key] = nil } }
    }
}
