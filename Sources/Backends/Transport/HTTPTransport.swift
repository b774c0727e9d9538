import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import SyncModel
import Synchronization

/// HTTP/1.1 over TCP or TLS 1.2 and later. No redirects, no cookies, no retries of a request that was sent.
package final class HTTPTransport: Transport {
    /// For requests that may use an idle connection.
    private let reusing: Clients
    /// For all others; each gets a connection of its own.
    private let fresh: Clients
    /// The TLS settings of every connection.
    private let tls: TLSConfiguration
    /// The TLS context for connections without a request. Cached, because reading the system's authorities takes long.
    private let context = Mutex<NIOSSLContext?>(nil)
    /// One loop for channel and delegate: with two, a sent request could look unsent when cancelled.
    private let loop: any EventLoop
    let limits: TransportLimits
    let clock: any SyncClock

    /// Throws if the CA file is unreadable.
    package init(_ limits: TransportLimits = TransportLimits(), clock: any SyncClock = SystemClock()) throws(Failure) {
        let authorities = try limits.authorities()
        loop = MultiThreadedEventLoopGroup.singleton.any()
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let authorities { tls.trustRoots = .certificates(authorities) }
        self.tls = tls
        reusing = Clients(limits, tls, on: loop)
        fresh = Clients(limits, tls, uses: 1, on: loop)
        self.limits = limits
        self.clock = clock
    }

    deinit {
        // Freeing a running HTTPClient traps.
        for client in clients { client.shutdown { _ in } }
    }

    private var clients: [HTTPClient] { reusing.all + fresh.all }

    /// Requests in progress fail.
    package func shutdown() async {
        // `try?`: fails only if the client is already shut down.
        for client in clients { try? await client.shutdown() }
    }

    package func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse {
        guard !Task.isCancelled else { throw .unreachable(Failure(.stopping, "The request was not sent: it was cancelled.")) }
        guard request.headSize <= limits.head else {
            let longest = request.headers.max { $0.value.utf8.count < $1.value.utf8.count }?.name ?? "the URL"
            let sizes = "its URL and headers are \(request.headSize) bytes long, and the limit is \(limits.head)"
            throw .unreachable(Failure(.profile, "The request was not sent: \(sizes). The longest field is \(longest)."))
        }
        return try await send(request, isRepeated: false)
    }

    /// - Parameter isRepeated: an earlier connection broke before anything was sent.
    private func send(_ request: OutboundRequest, isRepeated: Bool) async throws(TransportError) -> InboundResponse {
        let silence = request.timeout ?? limits.request
        let whole = request.isBrief ? silence : max(silence, limits.exchange)
        let times = HTTPExchange.Times(silence: TimeAmount(silence), whole: TimeAmount(whole))
        let exchange = HTTPExchange(hiding: request.secrets, times: times, atMost: limits.answer)
        let proxy = limits.proxies.proxy(for: URLComponents(string: request.url))
        do {
            // Until the request has a connection; then the exchange has its own limits.
            let deadline =
                NIODeadline.now() + TimeAmount(limits.connect) + times.ceiling(moving: (request.body?.count ?? 0) + limits.answer)
            let task = (request.isReusing ? reusing : fresh).client(through: proxy).execute(
                request: try HTTPClient.Request(request, on: loop), delegate: exchange,
                // The client has one loop, and keeps no connection in reserve for a request that names it.
                eventLoop: request.isReusing ? .indifferent : .delegateAndChannel(on: loop), deadline: deadline)
            return try await withTaskCancellationHandler {
                try await task.get()
            } onCancel: {
                task.cancel()
            }
        } catch {
            let wasSent = exchange.hasSentHead
            if !wasSent, !isRepeated, TransportError.isBroken(error) {
                // The server had closed the idle connection, or the new one broke in its handshake.
                var unsent = request
                unsent.isReusing = false
                return try await send(unsent, isRepeated: true)
            }
            let cause = await wasSent ? error : namedCause(of: error, at: request.url, through: proxy)
            let failed = await named(cause, wasSent: wasSent, at: request.url, through: proxy)
            guard !request.isSafe, let status = exchange.success else { throw failed }
            throw failed.answered(with: status)
        }
    }

    package func connect(to url: String) async throws(TransportError) {
        let proxy = limits.proxies.proxy(for: URLComponents(string: url))
        do {
            guard let address = URLComponents(string: url) else { throw HTTPClientError.invalidURL }
            try await ConnectionTrial(to: address, through: proxy, tls: trialContext, within: TimeAmount(limits.connect)).run(on: loop)
        } catch {
            throw await named(error, wasSent: false, at: url, through: proxy)
        }
    }

    func trialContext() throws -> NIOSSLContext {
        try context.withLock { context in
            if let context { return context }
            let made = try NIOSSLContext(configuration: tls)
            context = made
            return made
        }
    }

    /// The error of another handshake if it names the cause. The HTTP client reports only the first error of a handshake, which hides
    /// a refused certificate if the peer closed or reset the connection at once.
    private func namedCause(of error: any Error, at address: String, through proxy: Proxy?) async -> any Error {
        guard TransportError.isBroken(error), let url = URLComponents(string: address), url.scheme?.lowercased() == "https" else {
            return error
        }
        do {
            try await ConnectionTrial(to: url, through: proxy, tls: trialContext, within: TimeAmount(limits.connect)).run(on: loop)
            return error
        } catch let second {
            return TransportError.namesCause(second) ? second : error
        }
    }

    private func named(_ error: any Error, wasSent: Bool, at address: String, through proxy: Proxy?) async -> TransportError {
        let url = URLComponents(string: address)
        let host = url?.host ?? address
        let findings =
            if let proxy { await findings(on: error, at: proxy.host, port: nil) } else {
                await findings(on: error, at: host, port: url?.port ?? 443)
            }
        return TransportError(error, wasSent: wasSent, host: host, proxy: proxy?.description, findings: findings, now: clock.now)
    }

    /// Looks for the cause of an error, without a request. `port` is nil if only the proxy can be asked.
    private func findings(on error: any Error, at host: String, port: Int?) async -> TransportError.Findings {
        var findings = TransportError.Findings()
        if let port, TransportError.isRefusedCertificate(error) {
            findings.certificate = await .shown(at: host, port: port, on: loop, within: TimeAmount(limits.connect))
        }
        if TransportError.mayLackName(error) { findings.name = await NameLookup.of(host, within: min(limits.connect, .seconds(2))) }
        return findings
    }
}

/// With their own connections.
private struct Clients {
    let direct: HTTPClient
    let proxied: HTTPClient?

    /// `uses` is how many requests a connection takes. Without this limit, waiting requests would get a used one.
    init(_ limits: TransportLimits, _ tls: TLSConfiguration, uses: Int? = nil, on loop: any EventLoop) {
        direct = Self.client(limits, tls, through: nil, uses: uses, on: loop)
        proxied = limits.proxies.proxy.map { Self.client(limits, tls, through: $0, uses: uses, on: loop) }
    }

    var all: [HTTPClient] { [direct, proxied].compactMap(\.self) }

    func client(through proxy: Proxy?) -> HTTPClient { proxy == nil ? direct : proxied ?? direct }

    private static func client(
        _ limits: TransportLimits, _ tls: TLSConfiguration, through proxy: Proxy?, uses: Int?, on loop: any EventLoop
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, timeout: .init(connect: TimeAmount(limits.connect)),
            connectionPool: .init(idleTimeout: TimeAmount(limits.idle), concurrentHTTP1ConnectionsPerHostSoftLimit: 80),
            proxy: proxy?.setting, decompression: .enabled(limit: .size(limits.answer)))
        configuration.httpVersion = .http1Only
        configuration.maximumUsesPerConnection = uses
        // Otherwise a refused connection fails only after the connect timeout.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Bytes count as sent once the kernel has them, so the buffer must suit a slow connection.
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.setOption(.socketOption(.so_sndbuf), value: 64 << 10).recover { _ in }
                .flatMap { AnswerGuard.add(to: channel, idle: limits.idle) }
        }
        return HTTPClient(eventLoopGroupProvider: .shared(loop), configuration: configuration)
    }
}

extension HTTPClient.Request {
    fileprivate init(_ request: OutboundRequest, on loop: any EventLoop) throws {
        let zipped = request.isCompressible ? request.body?.gzipped : nil
        let body = (zipped ?? request.body).map { HTTPClient.Body.inPieces($0, on: loop) }
        try self.init(url: request.url, method: HTTPMethod(rawValue: request.method), body: body)
        for field in request.headers { headers.add(name: field.name, value: field.value) }
        headers.replaceOrAdd(name: "Accept-Encoding", value: "gzip")
        if zipped != nil { headers.replaceOrAdd(name: "Content-Encoding", value: "gzip") }
    }
}

extension HTTPClient.Body {
    /// Copies one piece at a time and reports each when sent.
    fileprivate static func inPieces(_ bytes: Data, on loop: any EventLoop) -> Self {
        .stream(contentLength: Int64(bytes.count)) { writer in
            let done = loop.makePromise(of: Void.self)
            @Sendable func send(_ rest: Data) {
                let piece = rest.prefix(64 << 10)
                guard !piece.isEmpty else { return done.succeed(()) }
                let rest = rest.dropFirst(piece.count)
                writer.write(.byteBuffer(ByteBuffer(bytes: piece))).whenComplete { result in
                    switch result {
                    // In a new tick, or a fast connection would exhaust the stack.
                    case .success where rest.isEmpty: done.succeed(())
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
