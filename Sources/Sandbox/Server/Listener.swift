import Glibc
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix

/// The value of SO_LINGER (`struct linger` of socket(7)) with which closing a connection resets it.
private struct NoLinger: Sendable {
    let isOn: Int32 = 1
    let seconds: Int32 = 0
}

/// An HTTP server on one loopback port that can go down and come up again on the same port.
actor Listener {
    /// Answers one request on a connection.
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

    /// Connections meet the faults of `plan`, if there is one.
    init(_ reservation: PortReservation, plan: FaultPlan? = nil, responder: @escaping Responder) {
        self.reservation = reservation
        self.plan = plan
        self.responder = responder
    }

    /// Listens; does nothing while it already does.
    func up() async throws {
        guard running == nil else { return }
        let quiet = Logger(label: "sandbox") { _ in SwiftLogNoOpLogHandler() }
        let http = HTTP1Channel(responder: responder)
        let server = try await bind(http, quiet)
        let connections = Connections()
        let plan = plan
        // The one task that outlives its call: `down` cancels it and waits for it.
        let task = Task {
            await withDiscardingTaskGroup(returning: Void.self) { group in
                // An error here is the closed listening socket, which `down` closes.
                try? await server.executeThenClose { arriving in
                    for try await connection in arriving {
                        let channel = connection.channel
                        connections.add(channel)
                        group.addTask {
                            if plan?.refusesConnection() == true {
                                await Self.reset(channel)
                                // It is already closed; this only gives up the stream.
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

    /// Again and again for two seconds where the port is still taken: a program that this process starts has the socket that `down` closed
    /// until it executes.
    private func bind(_ http: HTTP1Channel, _ log: Logger) async throws -> NIOAsyncChannel<HTTP1Channel.Value, Never> {
        var tries = 0
        while true {
            tries += 1
            do {
                return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .bind(host: reservation.host, port: reservation.port) { http.setup(channel: $0, logger: log) }
            } catch let error as IOError where error.errnoCode == EADDRINUSE {
                guard tries < 100 else { throw SandboxError.taken(host: reservation.host, port: reservation.port) }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Stops listening and closes every connection; connections are refused when this returns.
    func down() async {
        guard let running else { return }
        self.running = nil
        // Closing twice is no error worth knowing.
        try? await running.channel.close().get()
        running.connections.closeAll()
        running.task.cancel()
        await running.task.value
    }

    /// Closes a connection with RST, as a crashed server does.
    static func reset(_ channel: any Channel) async {
        if let socket = channel as? any SocketOptionProvider {
            // Where lingering cannot be set the connection ends with FIN instead.
            try? await socket.unsafeSetSocketOption(level: .socket, name: .so_linger, value: NoLinger()).get()
        }
        // It may already be closed by the client.
        try? await channel.close(mode: .all).get()
    }
}
