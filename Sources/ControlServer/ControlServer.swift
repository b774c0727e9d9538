import ControlAPI
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
    private let limits: ControlLimits
    private let count: ConnectionCount
    private let log: Logger
    private let onServing: @Sendable () -> Void

    /// - Parameters:
    ///   - quiet: after how long without an event a listener is sent an empty line.
    ///   - onServing: told once calls are answered.
    package init(
        socket: UnixSocket, service: any ControlService, policy: AccessPolicy = AccessPolicy(), limits: ControlLimits = ControlLimits(),
        quiet: Duration = .seconds(30), log: Logger, onServing: @escaping @Sendable () -> Void = {}
    ) {
        self.socket = socket
        self.limits = limits
        self.onServing = onServing
        count = ConnectionCount(limits: limits, policy: policy)
        router = ControlRouter(service: service, policy: policy, quiet: quiet, limits: limits, log: log)
        self.log = log
    }

    package func run() async throws {
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
    /// How long what has connected before the shutdown has time to send its request.
    private static let lastOrders = TimeAmount.milliseconds(100)

    private func serve() async throws {
        // The server closes what it is given; the socket itself outlives it where another server is to follow.
        guard let descriptor = try socket.duplicate() else { return try await gracefulShutdown() }
        let responder = router.responder()
        let (log, limits) = (log, limits)
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
            },
            configuration: .init(
                additionalChannelHandlers: [
                    ClientDeadline(idle: limits.idle, body: limits.body, lastOrders: Self.lastOrders), EndAfterError(patience: limits.idle),
                ],
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 2 * limits.header, maxHeaderListSize: 2 * limits.header, maxHeaderFieldCount: 100)))
        let group = MultiThreadedEventLoopGroup.singleton
        let quiescing = ServerQuiescingHelper(group: group)
        let arrivals = Arrivals<HTTP1Channel.Value>()
        let failure = AcceptFailure()
        let server = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: UnixSocket.backlog)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(quiescing.makeServerChannelHandler(channel: channel), failure)
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try admit(channel) }.flatMap { isAdmitted in
                    guard isAdmitted else { return channel.eventLoop.makeSucceededVoidFuture() }
                    guard arrivals.announce() else { return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
                    return http.setup(channel: channel, logger: log)
                        .flatMapThrowing { connection in
                            try channel.pipeline.syncOperations.addHandler(Handover(connection, to: arrivals))
                        }
                        .flatMapErrorThrowing { error in
                            arrivals.arrived(nil)
                            throw error
                        }
                }
            }
            .withBoundSocket(descriptor).get()
        server.closeFuture.whenComplete { _ in arrivals.close() }
        onServing()
        try await withThrowingDiscardingTaskGroup { connections in
            connections.addTask { await quiesce(server, group, quiescing, failure) }
            await withTaskCancellationHandler {
                while let connection = await arrivals.next() { connections.addTask { await http.handle(value: connection, logger: log) } }
            } onCancel: {
                server.close(promise: nil)
            }
            // NIO closes a listener that accept(2) fails on but for want of descriptors or memory. Deaf, the daemon must not look well.
            guard Task.isCancelled || Task.isShuttingDownGracefully else { throw SocketError.lost(socket.path, failure.words) }
        }
    }

    /// At graceful shutdown lets whoever is connected come to an end, and closes the server.
    private func quiesce(
        _ server: any Channel, _ group: MultiThreadedEventLoopGroup, _ quiescing: ServerQuiescingHelper, _ failure: AcceptFailure
    ) async {
        do {
            try await gracefulShutdown()
            // New clients wait in the socket's queue for the next server.
            failure.takeNobody()
            try await server.setOption(.autoRead, value: false).get()
            // Wait until every loop has set up the connections that were accepted before, and the server's loop has registered them.
            for loop in Array(group.makeIterator()) + [server.eventLoop] { try await loop.submit {}.get() }
            quiescing.initiateShutdown(promise: nil)
        } catch {
            // Cancelled, or closed already: it ends without more ado.
            server.close(promise: nil)
        }
    }

    /// Returns whether there is room for a connection. One too many costs as little as it can: it gets no HTTP.
    private func admit(_ channel: any Channel) throws -> Bool {
        guard let peer = channel.peer else { throw ChannelError.ioOnClosedChannel }
        let decision = count.open(peer)
        channel.closeFuture.whenComplete { _ in count.close(peer, decision) }
        guard decision != .admitted else { return true }
        router.audit.crowded(by: peer)
        guard decision == .refused else { throw ChannelError.ioOnClosedChannel }
        try channel.pipeline.syncOperations.addHandler(RefusedConnection())
        return false
    }
}
