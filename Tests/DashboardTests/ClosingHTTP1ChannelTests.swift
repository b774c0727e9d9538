import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Dashboard

/// With a plain `HTTP1Channel`, each of these tests ends the process.
@Suite(.timeLimit(.minutes(10))) struct ClosingHTTP1ChannelTests {
    /// Reports that a connection is active for all handlers.
    private final class Announcer: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = NIOAny

        private let activated: AsyncStream<Void>.Continuation

        init(_ activated: AsyncStream<Void>.Continuation) { self.activated = activated }

        func channelActive(context: ChannelHandlerContext) {
            context.fireChannelActive()
            activated.yield()
        }
    }

    private let log = Logger.silent

    private func http(_ activated: AsyncStream<Void>.Continuation) -> ClosingHTTP1Channel {
        ClosingHTTP1Channel(
            HTTP1Channel(
                responder: { _, writer, _ in try await writer.write(response: HTTPResponse(status: .ok), body: ResponseBody()) },
                configuration: .init(additionalChannelHandlers: [Announcer(activated)])))
    }

    private func connect(_ listener: any Channel) async throws -> any Channel {
        let address = try #require(listener.localAddress)
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(to: address).get()
    }

    @Test func cancelledServerClosesConnectionsThatItDoesNotServeYet() async throws {
        let (active, activated) = AsyncStream.makeStream(of: Void.self)
        let (listeners, running) = AsyncStream.makeStream(of: (any Channel).self)
        let (ended, end) = AsyncStream.makeStream(of: Never.self)
        defer { end.finish() }
        let server = Server(
            childChannelSetup: http(activated), configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { listener in
                running.yield(listener)
                // The server serves no connection before this returns.
                for await _ in ended {}
            },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: log)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            var found = listeners.makeAsyncIterator()
            let listener = try #require(await found.next())
            var clients: [any Channel] = []
            for _ in 1...8 { clients.append(try await connect(listener)) }
            for await _ in active.prefix(clients.count) {}
            // After this, the listener's loop has passed every connection on to the server.
            try await listener.eventLoop.submit {}.get()
            group.cancelAll()
            for client in clients { try await client.closeFuture.get() }
        }
    }

    @Test func connectionDroppedBeforeItIsActiveCloses() async throws {
        let (_, activated) = AsyncStream.makeStream(of: Void.self)
        let (http, log) = (http(activated), log)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in http.setup(channel: channel, logger: log).map { _ in } }
            .bind(host: "127.0.0.1", port: 0).get()
        try await connect(listener).closeFuture.get()
        try await listener.close()
    }
}
