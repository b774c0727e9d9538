import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOSSL
import SyncModel

/// HTTP/1.1 over TCP and TLS 1.2 or later, through a proxy where one is set. Follows no redirect, keeps no cookie, repeats nothing by itself.
package final class HTTPTransport: Transport {
    private let direct: HTTPClient
    /// Goes through the proxy; nil where there is none.
    private let proxied: HTTPClient?
    /// The one loop that sends and is told of it: on two, a request that was called off at the wrong moment would look as if it had never left.
    private let loop: any EventLoop
    let limits: TransportLimits
    let clock: any SyncClock

    /// Throws where the CA file cannot be read.
    package init(_ limits: TransportLimits = TransportLimits(), clock: any SyncClock = SystemClock()) throws(Failure) {
        let authorities = try limits.authorities()
        direct = Self.client(limits, authorities, through: nil)
        proxied = limits.proxies.proxy.map { Self.client(limits, authorities, through: $0) }
        loop = direct.eventLoopGroup.any()
        self.limits = limits
        self.clock = clock
    }

    private static func client(_ limits: TransportLimits, _ authorities: [NIOSSLCertificate]?, through proxy: Proxy?) -> HTTPClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let authorities { tls.trustRoots = .certificates(authorities) }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, timeout: .init(connect: TimeAmount(limits.connect)),
            connectionPool: .init(idleTimeout: .seconds(30), concurrentHTTP1ConnectionsPerHostSoftLimit: 80), proxy: proxy?.setting,
            decompression: .enabled(limit: .size(limits.answer)))
        configuration.httpVersion = .http1Only
        // With it, a refused connection takes the whole connect timeout instead of a millisecond.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Bytes count as moved once the kernel has them, so it must not take in more than a slow connection carries away in time.
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.setOption(.socketOption(.so_sndbuf), value: 64 << 10).recover { _ in }.flatMap { AnswerGuard.add(to: channel) }
        }
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        // An HTTPClient that is freed while it runs traps; a second shutdown only reports an error.
        for client in clients { client.shutdown { _ in } }
    }

    private var clients: [HTTPClient] { [direct, proxied].compactMap(\.self) }

    /// Closes every connection; what is still under way fails.
    package func shutdown() async {
        // `try?`: it fails only where the client has been shut down before.
        for client in clients { try? await client.shutdown() }
    }

    package func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse {
        guard !Task.isCancelled else { throw .unreachable(Failure(.stopping, "The request was not sent: the daemon was told to stop.")) }
        guard request.headSize <= limits.head else {
            let longest = request.headers.max { $0.value.utf8.count < $1.value.utf8.count }?.name ?? "its address"
            let sizes = "\(request.headSize) bytes long, and the limit is \(limits.head)"
            throw .unreachable(Failure(.profile, "The request was not sent: its head is \(sizes). The longest field is \(longest)."))
        }
        let silence = request.timeout ?? limits.request
        let whole = request.isBrief ? silence : max(silence, limits.exchange)
        let times = HTTPExchange.Times(silence: TimeAmount(silence), whole: TimeAmount(whole))
        let exchange = HTTPExchange(hiding: request.secrets, times: times, atMost: limits.answer)
        let url = URLComponents(string: request.url)
        let proxy = limits.proxies.proxy(for: url)
        do {
            // The deadline is for a request that finds no connection at all; the exchange keeps its own times from when it has one.
            let deadline =
                NIODeadline.now() + TimeAmount(limits.connect) + times.ceiling(moving: (request.body?.count ?? 0) + limits.answer)
            let task = (proxy == nil ? direct : proxied ?? direct).execute(
                request: try HTTPClient.Request(request, on: loop), delegate: exchange, eventLoop: .delegateAndChannel(on: loop),
                deadline: deadline)
            return try await withTaskCancellationHandler {
                try await task.get()
            } onCancel: {
                task.cancel()
            }
        } catch {
            let host = url?.host ?? request.url
            let findings =
                if let proxy { await findings(on: error, at: proxy.host, port: nil) } else {
                    await findings(on: error, at: host, port: url?.port ?? 443)
                }
            throw TransportError(
                error, wasSent: exchange.hasSentHead, host: proxy.map { "\(host) through the proxy \($0)" } ?? host, findings: findings,
                now: clock.now)
        }
    }

    /// Looks closer where an error does not tell its cause. Nothing is sent for that.
    ///
    /// - Parameter port: where the server shows its certificate; nil where only a proxy can be asked.
    private func findings(on error: any Error, at host: String, port: Int?) async -> TransportError.Findings {
        var findings = TransportError.Findings()
        if let port, TransportError.isRefusedCertificate(error) {
            findings.certificate = await .shown(at: host, port: port, on: loop, within: TimeAmount(limits.connect))
        }
        if TransportError.mayLackName(error) { findings.name = await NameLookup.of(host, within: min(limits.connect, .seconds(2))) }
        return findings
    }
}

extension HTTPClient.Request {
    fileprivate init(_ request: OutboundRequest, on loop: any EventLoop) throws {
        let body = request.body.map { HTTPClient.Body.inPieces($0, on: loop) }
        try self.init(url: request.url, method: HTTPMethod(rawValue: request.method), body: body)
        for field in request.headers { headers.add(name: field.name, value: field.value) }
        headers.replaceOrAdd(name: "Accept-Encoding", value: "gzip")
    }
}

extension HTTPClient.Body {
    /// The bytes in pieces, each of which is copied for itself and reported when it has gone out.
    fileprivate static func inPieces(_ bytes: Data, on loop: any EventLoop) -> Self {
        .stream(contentLength: Int64(bytes.count)) { writer in
            let done = loop.makePromise(of: Void.self)
            @Sendable func send(_ rest: Data) {
                let piece = rest.prefix(64 << 10)
                guard !piece.isEmpty else { return done.succeed(()) }
                let rest = rest.dropFirst(piece.count)
                writer.write(.byteBuffer(ByteBuffer(bytes: piece))).whenComplete { result in
                    switch result {
                    // In a turn of its own: a connection that takes everything at once must not fill the stack.
                    case .success: loop.execute { send(rest) }
                    case .failure(let error): done.fail(error)
                    }
                }
            }
            send(bytes)
            return done.futureResult
        }
    }
}

extension TimeAmount {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
