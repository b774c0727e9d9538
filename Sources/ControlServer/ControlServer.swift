import ControlAPI
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOPosix
import ServiceLifecycle

/// Serves the control channel on a listening socket until graceful shutdown.
package struct ControlServer: Service {
    private let socket: UnixSocket
    private let router: ControlRouter
    private let limits: ControlLimits
    private let count: ConnectionCount
    private let log: Logger
    private let onServing: @Sendable () -> Void

    /// - Parameter onServing: called once requests are answered.
    package init(
        socket: UnixSocket, service: ControlService, policy: AccessPolicy = AccessPolicy(), limits: ControlLimits = ControlLimits(),
        log: Logger, onServing: @escaping @Sendable () -> Void = {}
    ) {
        self.socket = socket
        self.limits = limits
        self.onServing = onServing
        count = ConnectionCount(limits: limits, policy: policy)
        router = ControlRouter(service: service, policy: policy, limits: limits, log: log)
        self.log = log
    }

    package func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await serve() }
            group.addTask {
                // A slow client must not use up the time of the services that shut down after this one.
                try await gracefulShutdown()
                try await Task.sleep(for: Self.grace)
            }
            try await group.next()
            group.cancelAll()
            do { try await group.waitForAll() } catch is CancellationError {}
        }
    }

    /// Limit for calls in progress at shutdown.
    private static let grace = Duration.seconds(1)
    /// The time for a connection accepted before the shutdown to send its request.
    private static let lastOrders = TimeAmount.milliseconds(100)

    private func serve() async throws {
        // The server closes its descriptor; the socket may be reused by the next server.
        guard let descriptor = try socket.duplicate() else { return try await gracefulShutdown() }
        let http = http()
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
            .childChannelInitializer { setUp($0, http, arrivals) }
            .withBoundSocket(descriptor).get()
        server.closeFuture.whenComplete { _ in arrivals.close() }
        onServing()
        try await withThrowingDiscardingTaskGroup { connections in
            connections.addTask { await quiesce(server, group, quiescing, failure) }
            await withTaskCancellationHandler {
                while let connection = await arrivals.next() {
                    connections.addTask {
                        // It never changes, and each look needs the connection's thread.
                        let peer = await connection.channel.findPeer()
                        await Peer.$ofConnection.withValue(peer) { await http.handle(value: connection, logger: log) }
                    }
                }
            } onCancel: {
                server.close(promise: nil)
            }
            // The daemon must not look healthy without a listener, which NIO closes on other accept(2) errors.
            guard Task.isCancelled || Task.isShuttingDownGracefully else { throw SocketError.lost(socket.path, failure.words) }
        }
    }

    private func http() -> HTTP1Channel {
        let responder = router.responder()
        let (log, limits) = (log, limits)
        return HTTP1Channel(
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
    }

    /// The pipeline hands the connection over once it is active.
    private func setUp(_ channel: any Channel, _ http: HTTP1Channel, _ arrivals: Arrivals<HTTP1Channel.Value>) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture { try admit(channel) }.flatMap { isAdmitted in
            guard isAdmitted else { return channel.eventLoop.makeSucceededVoidFuture() }
            guard arrivals.announce() else { return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
            return http.setup(channel: channel, logger: log)
                .flatMapThrowing { connection in try channel.pipeline.syncOperations.addHandler(Handover(connection, to: arrivals)) }
                .flatMapErrorThrowing { error in
                    arrivals.arrived(nil)
                    throw error
                }
        }
    }

    /// At graceful shutdown, drains the connections and closes the server.
    private func quiesce(
        _ server: any Channel, _ group: MultiThreadedEventLoopGroup, _ quiescing: ServerQuiescingHelper, _ failure: AcceptFailure
    ) async {
        do {
            try await gracefulShutdown()
            // New clients wait in the backlog for the next server.
            failure.stopAccepting()
            try await server.setOption(.autoRead, value: false).get()
            // Earlier connections must be set up by every loop and registered by the server's loop.
            for loop in Array(group.makeIterator()) + [server.eventLoop] { try await loop.submit {}.get() }
            quiescing.initiateShutdown(promise: nil)
        } catch {
            // Cancelled or already closed.
            server.close(promise: nil)
        }
    }

    /// False over the limit. Such a connection gets no HTTP pipeline, so refusing it costs little.
    private func admit(_ channel: any Channel) throws -> Bool {
        guard let peer = channel.peer else { throw ChannelError.ioOnClosedChannel }
        let decision = count.open(peer)
        channel.closeFuture.whenComplete { _ in count.close(peer, decision) }
        guard decision != .admitted else { return true }
        router.doorkeeper.audit.crowded(by: peer)
        guard case .refused(let ofUser) = decision else { throw ChannelError.ioOnClosedChannel }
        try channel.pipeline.syncOperations.addHandler(RefusedConnection(ofUser: ofUser))
        return false
    }
}
