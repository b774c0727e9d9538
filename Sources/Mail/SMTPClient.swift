import NIOCore
import NIOPosix

/// Hands mails to a server, each on a connection of its own.
package struct SMTPClient: Sendable {
    /// Those of RFC 5321 4.5.3.2, except that a server on this computer accepts a connection at once.
    struct Limits: Sendable {
        var connect = TimeAmount.seconds(10)
        var reply = TimeAmount.minutes(5)
        /// After the whole mail. A shorter time would send mails twice.
        var acceptance = TimeAmount.minutes(10)
    }

    private let server: MailServer
    private let name: String
    private let limits: Limits

    /// - Parameter name: of this computer.
    package init(server: MailServer, name: String) { self.init(server: server, name: name, limits: Limits()) }

    init(server: MailServer, name: String, limits: Limits) {
        (self.server, self.limits) = (server, limits)
        self.name = MailAddress.domain(of: name)
    }

    /// Cancellation ends the attempt with `failed`.
    package func send(_ message: MailMessage) async -> MailOutcome {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let ended = loop.makePromise(of: MailOutcome.self)
        converse(SMTPConversation(message, client: name), on: loop, until: ended)
        return await withTaskCancellationHandler {
            do { return try await ended.futureResult.get() } catch { return .failed("\(error)") }
        } onCancel: {
            ended.succeed(.failed("The attempt was cancelled."))
        }
    }

    /// - Parameter ended: closes the connection; only its first result counts.
    private func converse(_ conversation: SMTPConversation, on loop: any EventLoop, until ended: EventLoopPromise<MailOutcome>) {
        let address: SocketAddress
        do { address = try SocketAddress(ipAddress: server.host, port: server.port) } catch {
            return ended.succeed(.unreachable("\(error)"))
        }
        let limits = limits
        let connection = ClientBootstrap(group: loop).connectTimeout(limits.connect)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SMTPHandler(conversation, limits, ended))
                }
            }
            .connect(to: address)
        connection.whenComplete { result in
            switch result {
            case .success(let channel): ended.futureResult.whenComplete { _ in channel.close(promise: nil) }
            case .failure(let error): ended.succeed(.unreachable("\(error)"))
            }
        }
    }
}
