import ControlAPI
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOPosix
import ServiceLifecycle

/// Serves the control channel on a socket that is already listening, until graceful shutdown.
package struct ControlServer: Service {
    private let socket: UnixSocket
    private let router: ControlRouter
    private let log: Logger

    /// - Parameter quiet: after how long without an event a listener is sent an empty line.
    package init(
        socket: UnixSocket, service: any ControlService, policy: AccessPolicy = AccessPolicy(), quiet: Duration = .seconds(30), log: Logger
    ) {
        self.socket = socket
        router = ControlRouter(service: service, policy: policy, quiet: quiet)
        self.log = log
    }

    package func run() async throws {
        // Whoever comes next finds no path to a daemon that is gone.
        defer { unlink(socket.path) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await serve() }
            group.addTask {
                // The other parts are shut down after this one: a client that dawdles must not use up their time.
                try await gracefulShutdown()
                try await Task.sleep(for: Self.grace)
            }
            try await group.next()
            group.cancelAll()
            do { try await group.waitForAll() } catch is CancellationError {}
        }
    }

    /// How long calls that are under way at shutdown may take to come to their end.
    private static let grace = Duration.seconds(1)

    private func serve() async throws {
        let responder = router.responder()
        let log = log
        let http = HTTP1Channel(
            responder: { request, writer, channel in
                let context = ControlContext(source: ApplicationRequestContextSource(channel: channel, logger: log))
                let response: Response
                do {
                    response = try await responder.respond(to: request, context: context)
                } catch is CancellationError {
                    throw CancellationError()
                } catch {
                    response = Response(status: .internalServerError)
                }
                try await writer.write(response: response.head, body: response.body)
            }, configuration: .init(idleTimeout: .seconds(60)))
        let group = MultiThreadedEventLoopGroup.singleton
        let quiescing = ServerQuiescingHelper(group: group)
        let server = try await ServerBootstrap(group: group)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(socket.descriptor, cleanupExistingSocketFile: false) { channel in http.setup(channel: channel, logger: log) }
        try await withGracefulShutdownHandler {
            try await withThrowingDiscardingTaskGroup { connections in
                try await server.executeThenClose { inbound in
                    for try await connection in inbound { connections.addTask { await http.handle(value: connection, logger: log) } }
                }
            }
        } onGracefulShutdown: {
            quiescing.initiateShutdown(promise: nil)
        }
    }
}
