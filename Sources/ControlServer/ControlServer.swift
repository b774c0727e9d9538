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

    package init(socket: UnixSocket, service: any ControlService, policy: AccessPolicy = AccessPolicy(), log: Logger) {
        self.socket = socket
        router = ControlRouter(service: service, policy: policy)
        self.log = log
    }

    package func run() async throws {
        // Whoever comes next finds no path to a daemon that is gone.
        defer { unlink(socket.path) }
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
