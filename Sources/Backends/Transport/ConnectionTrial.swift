import AsyncHTTPClient
import Foundation
import NIOCore
import NIOExtras
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Opens a connection as for a request, with CONNECT and TLS, and ends it.
struct ConnectionTrial: Sendable {
    private let host: String
    private let port: Int
    private let tls: NIOSSLContext?
    private let proxy: Proxy?
    private let limit: TimeAmount

    /// - Parameters:
    ///   - tls: called if the URL is HTTPS.
    ///   - limit: of the whole trial.
    init(to url: URLComponents, through proxy: Proxy?, tls: () throws -> NIOSSLContext, within limit: TimeAmount) throws {
        guard let host = url.host, !host.isEmpty else { throw HTTPClientError.emptyHost }
        let isEncrypted = url.scheme?.lowercased() == "https"
        self.host = host.bare
        port = url.port ?? (isEncrypted ? 443 : 80)
        self.tls = isEncrypted ? try tls() : nil
        (self.proxy, self.limit) = (proxy, limit)
    }

    /// Throws the errors of a request.
    func run(on loop: any EventLoop) async throws {
        let ended = loop.makePromise(of: Void.self)
        let timer = loop.scheduleTask(in: limit) { ended.fail(HTTPClientError.connectTimeout) }
        defer { timer.cancel() }
        // The timer is the first to end it.
        ClientBootstrap(group: loop).connectTimeout(limit * 2).connect(host: proxy?.host.bare ?? host, port: proxy?.port ?? port)
            .flatMap { channel in
                ended.futureResult.whenComplete { _ in channel.close(promise: nil) }
                let secured = tunnel(channel).flatMap { secure(channel) }
                // On the loop of the channel, so that the error of the handshake always comes before the end of the channel.
                secured.cascade(to: ended)
                channel.closeFuture.whenComplete { _ in ended.fail(ChannelError.eof) }
                return secured
            }.cascadeFailure(to: ended)
        try await withTaskCancellationHandler {
            try await ended.futureResult.get()
        } onCancel: {
            ended.fail(CancellationError())
        }
    }

    private func tunnel(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard let proxy else { return channel.eventLoop.makeSucceededVoidFuture() }
        let connected = channel.eventLoop.makePromise(of: Void.self)
        var headers = HTTPHeaders([("Host", "\(host):\(port)")])
        if let user = proxy.user {
            let credentials = Data("\(user):\(proxy.password?.revealed ?? "")".utf8).base64EncodedString()
            headers.add(name: "Proxy-Authorization", value: "Basic \(credentials)")
        }
        let (encoder, decoder) = (HTTPRequestEncoder(), ByteToMessageHandler(HTTPResponseDecoder()))
        let connect = NIOHTTP1ProxyConnectHandler(
            targetHost: host, targetPort: port, headers: headers, deadline: .now() + limit, promise: connected)
        let pipeline = channel.pipeline.syncOperations
        do { try pipeline.addHandlers([encoder, decoder, connect]) } catch { connected.fail(error) }
        return connected.futureResult
            .flatMapErrorThrowing { error in
                guard let error = error as? NIOHTTP1ProxyConnectHandler.Error else { throw error }
                if error == .proxyAuthenticationRequired() { throw HTTPClientError.proxyAuthenticationRequired }
                throw error == .httpProxyHandshakeTimeout()
                    ? HTTPClientError.httpProxyHandshakeTimeout : HTTPClientError.invalidProxyResponse
            }
            // The handler of CONNECT removes itself.
            .assumeIsolated().flatMap { pipeline.removeHandler(decoder).and(pipeline.removeHandler(encoder)).map { _ in } }.nonisolated()
    }

    private func secure(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard let tls else { return channel.eventLoop.makeSucceededVoidFuture() }
        let done = channel.eventLoop.makePromise(of: Void.self)
        // `try?`: a host that is no IP address is a name, as SNI needs.
        let name = (try? SocketAddress(ipAddress: host, port: port)) == nil ? host : nil
        do {
            let handler = try NIOSSLClientHandler(context: tls, serverHostname: name)
            try channel.pipeline.syncOperations.addHandlers([handler, HandshakeEnd(done)])
        } catch {
            done.fail(error)
        }
        return done.futureResult
    }
}

extension String {
    /// An IPv6 address without its brackets.
    fileprivate var bare: String { trimmingCharacters(in: CharacterSet(charactersIn: "[]")) }
}
