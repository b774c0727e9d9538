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
    /// It ends when it was unused for this long; nil for never.
    private let limit: Duration?
    private let lobby: Lobby

    static let longestUnused = Duration.seconds(3600)

    /// - Parameters:
    ///   - port: 0 for a free one.
    ///   - stays: does not end when it is unused.
    package init(client: ControlClient, port: Int, stays: Bool) {
        self.init(client: client, port: port, limit: stays ? nil : Self.longestUnused)
    }

    init(client: ControlClient, port: Int = 0, keys: Keys = Keys(), limit: Duration? = longestUnused, lobby: Lobby = Lobby()) {
        (self.client, self.port, self.keys, self.limit, self.lobby) = (client, port, keys, limit, lobby)
    }

    /// Serves until it was unused for its limit, or until it is cancelled.
    ///
    /// - Parameter onServing: gets the address with the token, which opens one session.
    package func run(onServing: @escaping @Sendable (String) async -> Void) async throws {
        let site = Mutex<Site?>(nil)
        let (usage, rights) = (Usage(), Rights())
        let (served, serving) = AsyncStream.makeStream(of: Never.self)
        let quiet = Logger(label: "dashboard") { _ in SwiftLogNoOpLogHandler() }
        let http = HTTP1Channel(
            responder: { [lobby] request, writer, channel in
                let ready = site.withLock { $0 }
                let response = await ready?.respond(to: request) { lobby.leave(channel) } ?? Response.refusal("", status: 503)
                try await writer.write(response: response.head, body: request.method == .head ? ResponseBody() : response.body)
                if response.headers[.connection] == "close" { channel.close(mode: .output, promise: nil) }
            },
            configuration: .init(
                additionalChannelHandlers: [Newcomer(lobby: lobby), OverlongAddress()], idleTimeout: .seconds(60),
                // A browser repeats a long address in `Referer`. The doorkeeper refuses only an address that was read; `OverlongAddress`
                // answers the others.
                httpDecoderConfiguration: .init(maxHeaderFieldSize: 64 << 10, maxHeaderListSize: 64 << 10, maxHeaderFieldCount: 100)))
        let server = Server(
            childChannelSetup: ClosingHTTP1Channel(http),
            configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: port)),
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
            if let limit {
                group.addTask {
                    for await _ in served {}
                    while let left = usage.remaining(of: limit) { try await Task.sleep(for: left) }
                }
            }
            try await group.next()
            group.cancelAll()
        }
    }
}
