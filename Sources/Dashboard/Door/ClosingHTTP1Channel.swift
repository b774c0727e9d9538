import HummingbirdCore
import Logging
import NIOCore

/// HTTP/1.1 whose connections close if the server drops them. A Hummingbird server that stops drops the connections that it has accepted but
/// does not serve yet.
struct ClosingHTTP1Channel: ServerChildChannel {
    private let http: HTTP1Channel

    init(_ http: HTTP1Channel) { self.http = http }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<ClosingConnection> {
        http.setup(channel: channel, logger: logger).map { ClosingConnection($0) }
    }

    func handle(value: ClosingConnection, logger: Logger) async {
        defer { withExtendedLifetime(value) {} }
        await http.handle(value: value.connection, logger: logger)
    }
}

/// An accepted connection, which closes when its last reference is dropped.
final class ClosingConnection: ServerChildChannelValue {
    let connection: HTTP1Channel.Value
    var channel: any Channel { connection.channel }

    init(_ connection: HTTP1Channel.Value) { self.connection = connection }

    // NIO ends the process if an open NIOAsyncChannel is dropped (swift-nio 2637, 2813), so it stays until the channel has closed.
    deinit {
        channel.close(promise: nil)
        channel.closeFuture.whenComplete { [connection] _ in withExtendedLifetime(connection) {} }
    }
}
