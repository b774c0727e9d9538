import Glibc
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// `struct linger` (socket(7)) with a zero timeout: close(2) resets the connection.
private struct NoLinger: Sendable {
    let isOn: Int32 = 1
    let seconds: Int32 = 0
}

/// An HTTP server that can go down and listen again on the same loopback port.
actor Listener {
    typealias Responder = @Sendable (Request, consuming ResponseWriter, any Channel) async throws -> Void

    private struct Running {
        let channel: any Channel
        let connections: Connections
        let task: Task<Void, Never>
    }

    private let reservation: PortReservation
    private let responder: Responder
    private let plan: FaultPlan?
    private var running: Running?

    init(_ reservation: PortReservation, plan: FaultPlan? = nil, responder: @escaping Responder) {
        self.reservation = reservation
        self.plan = plan
        self.responder = responder
    }

    /// The connections since `up`.
    var connectionCount: Int { running?.connections.count ?? 0 }

    /// Listens; does nothing if it already listens.
    func up() async throws {
        guard running == nil else { return }
        let quiet = Logger(label: "sandbox") { _ in SwiftLogNoOpLogHandler() }
        let http = HTTP1Channel(responder: responder)
        let connections = Connections()
        let server = try await bind(http, connections, quiet)
        let plan = plan
        // The only unstructured task: `down` cancels it and waits for it.
        let task = Task {
            await withDiscardingTaskGroup(returning: Void.self) { group in
                // The only expected error is the closed listening socket.
                try? await server.executeThenClose { arriving in
                    for try await connection in arriving {
                        let channel = connection.channel
                        connections.serve(channel)
                        group.addTask {
                            if plan?.refusesConnection() == true {
                                await Self.reset(channel)
                                // The channel is already closed; this only releases the stream.
                                try? await connection.executeThenClose { _, _ in }
                            } else {
                                await http.handle(value: connection, logger: quiet)
                            }
                            connections.remove(channel)
                        }
                    }
                }
            }
        }
        running = Running(channel: server.channel, connections: connections, task: task)
    }

    /// Retries for two seconds if the port is in use: a child process holds the closed socket until exec(2).
    private func bind(
        _ http: HTTP1Channel, _ connections: Connections, _ log: Logger
    ) async throws -> NIOAsyncChannel<HTTP1Channel.Value, Never> {
        var tries = 0
        while true {
            tries += 1
            do {
                return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .bind(host: PortReservation.host, port: reservation.port) { channel in
                        http.setup(channel: channel, logger: log).map { connection in
                            connections.add(connection)
                            return connection
                        }
                    }
            } catch let error as IOError where error.errnoCode == EADDRINUSE {
                guard tries < 100 else { throw SandboxError.taken(reservation.port) }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Stops listening; new connections are refused after this returns.
    func down() async {
        guard let running else { return }
        self.running = nil
        // An error means that the channel is already closed.
        try? await running.channel.close().get()
        let unserved = running.connections.closeAll()
        running.task.cancel()
        await running.task.value
        for connection in unserved { await Connections.release(connection) }
    }

    /// Closes a connection with RST, as after a server crash.
    static func reset(_ channel: any Channel) async {
        if let socket = channel as? any SocketOptionProvider {
            // If SO_LINGER cannot be set, the connection ends with FIN instead.
            try? await socket.unsafeSetSocketOption(level: .socket, name: .so_linger, value: NoLinger()).get()
        }
        // The client may have closed it already.
        try? await channel.close(mode: .all).get()
    }
}

/// The open connections, for closing all at once, also those not served yet: NIO stops the process if one is forgotten (swift-nio issue
/// 2637).
final class Connections: Sendable {
    private let open = Mutex<[ObjectIdentifier: (connection: HTTP1Channel.Value, isServed: Bool)]?>([:])
    private let added = Atomic(0)

    /// The number of connections so far.
    var count: Int { added.load(ordering: .relaxed) }

    /// Keeps a connection; after `closeAll`, closes it at once.
    func add(_ connection: HTTP1Channel.Value) {
        added.add(1, ordering: .relaxed)
        let isKept = open.withLock { open in
            open?[ObjectIdentifier(connection.channel)] = (connection, false)
            return open != nil
        }
        if !isKept {
            connection.channel.close(mode: .all, promise: nil)
            Task { await Self.release(connection) }
        }
    }

    func serve(_ channel: any Channel) { open.withLock { $0?[ObjectIdentifier(channel)]?.isServed = true } }

    func remove(_ channel: any Channel) {
        _ = open.withLock { $0?.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Returns the connections that nothing serves.
    func closeAll() -> [HTTP1Channel.Value] {
        let connections = open.withLock { open in
            defer { open = nil }
            return open?.values.map(\.self) ?? []
        }
        for (connection, _) in connections { connection.channel.close(mode: .all, promise: nil) }
        return connections.filter { !$0.isServed }.map(\.connection)
    }

    /// An error means that the channel is already closed.
    static func release(_ connection: HTTP1Channel.Value) async { try? await connection.executeThenClose { _, _ in } }
}
