import ControlAPI
import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// A page for the person at the station, on a loopback port. It speaks to the daemon as that person.
package struct Dashboard: Sendable {
    private let client: ControlClient
    private let port: Int
    private let keys: Keys
    /// It ends when it was unused for this long.
    private let limit: Duration

    /// - Parameter port: 0 for a free one.
    package init(client: ControlClient, port: Int) { self.init(client: client, port: port, keys: Keys()) }

    init(client: ControlClient, port: Int = 0, keys: Keys = Keys(), limit: Duration = .seconds(3600)) {
        (self.client, self.port, self.keys, self.limit) = (client, port, keys, limit)
    }

    /// Serves until it was unused for an hour, or until it is cancelled.
    ///
    /// - Parameter onServing: gets the address with the token, which opens one session.
    package func run(onServing: @escaping @Sendable (String) async -> Void) async throws {
        let site = Mutex<Site?>(nil)
        let (usage, rights) = (Usage(), Rights())
        let (served, serving) = AsyncStream.makeStream(of: Never.self)
        let quiet = Logger(label: "dashboard") { _ in SwiftLogNoOpLogHandler() }
        let http = HTTP1Channel(
            responder: { request, writer, _ in
                let response = await site.withLock { $0 }?.respond(to: request) ?? Response.page("", status: 503)
                try await writer.write(response: response.head, body: request.method == .head ? ResponseBody() : response.body)
            },
            configuration: .init(
                idleTimeout: .seconds(60),
                httpDecoderConfiguration: .init(maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 100)))
        let server = Server(
            childChannelSetup: http,
            configuration: ServerConfiguration(
                address: .hostname("127.0.0.1", port: port), availableConnectionsDelegate: MaximumAvailableConnections(Self.connections)),
            onServerRunning: { channel in
                let doorkeeper = Doorkeeper(keys: keys, port: channel.localAddress?.port ?? port)
                site.withLock { $0 = Site(doorkeeper: doorkeeper, client: client, usage: usage, rights: rights) }
                await onServing("http://\(doorkeeper.authority)/\(keys.place)/?token=\(keys.token)")
                serving.finish()
            },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: quiet)
        try await withThrowingTaskGroup { group in
            group.addTask {
                do {
                    try await server.run()
                } catch let error as IOError {
                    throw Problem.invalid(
                        "Port \(port) on 127.0.0.1 cannot be used: \(String(cString: strerror(error.errnoCode))).",
                        next: "Leave out --port, so that the system chooses one.")
                }
            }
            group.addTask {
                for await _ in served {}
                while let left = usage.remaining(of: limit) { try await Task.sleep(for: left) }
            }
            try await group.next()
            group.cancelAll()
        }
    }

    /// At the same time; further ones wait.
    private static let connections = 64
}
