import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOSSL
import SyncModel

/// HTTP/1.1 over TCP and TLS. Follows no redirect, keeps no cookie, uses no proxy, repeats nothing by itself.
package final class HTTPTransport: Transport {
    let client: HTTPClient
    /// The one loop that sends and is told of it: on two, a request that was called off at the wrong moment would look as if it had never left.
    private let loop: any EventLoop
    let limits: TransportLimits
    let clock: any SyncClock

    /// Throws where the CA file cannot be read.
    package init(_ limits: TransportLimits = TransportLimits(), clock: any SyncClock = SystemClock()) throws(Failure) {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authorities = try limits.authorities() { tls.trustRoots = .certificates(authorities) }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, timeout: .init(connect: TimeAmount(limits.connect)),
            connectionPool: .init(idleTimeout: .seconds(30), concurrentHTTP1ConnectionsPerHostSoftLimit: 80), proxy: nil,
            decompression: .enabled(limit: .size(limits.answer)))
        configuration.httpVersion = .http1Only
        // With it, a refused connection takes the whole connect timeout instead of a millisecond.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        loop = client.eventLoopGroup.any()
        self.limits = limits
        self.clock = clock
    }

    deinit { client.shutdown { _ in } }  // An HTTPClient that is freed while it runs traps; a second shutdown only reports an error.

    /// Closes every connection; what is still under way fails.
    package func shutdown() async {
        // `try?`: it fails only where the client has been shut down before.
        try? await client.shutdown()
    }

    package func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse {
        guard !Task.isCancelled else { throw .unreachable(Failure(.stopping, "The request was not sent: the daemon was told to stop.")) }
        let head = request.timeout ?? limits.request
        let whole = request.isBrief ? head : max(head, limits.exchange)
        let exchange = HTTPExchange(hiding: request.secrets, head: TimeAmount(head), whole: TimeAmount(whole), atMost: limits.answer)
        do {
            // The deadline is for a request that finds no connection at all; the exchange keeps its own times from when it has one.
            let deadline = NIODeadline.now() + TimeAmount(limits.connect) + TimeAmount(whole)
            let task = client.execute(
                request: try HTTPClient.Request(request), delegate: exchange, eventLoop: .delegateAndChannel(on: loop), deadline: deadline)
            return try await withTaskCancellationHandler {
                try await task.get()
            } onCancel: {
                task.cancel()
            }
        } catch {
            let url = URLComponents(string: request.url)
            let findings = await findings(on: error, at: url?.host ?? "", port: url?.port ?? 443)
            throw TransportError(
                error, wasSent: exchange.hasSentHead, host: url?.host ?? request.url, findings: findings, now: clock.now)
        }
    }

    /// Looks closer where an error does not tell its cause. Nothing is sent for that.
    private func findings(on error: any Error, at host: String, port: Int) async -> TransportError.Findings {
        var findings = TransportError.Findings()
        if TransportError.isRefusedCertificate(error) {
            findings.certificate = await .shown(at: host, port: port, on: loop, within: TimeAmount(limits.connect))
        }
        if TransportError.mayLackName(error) { findings.name = await NameLookup.of(host, within: min(limits.connect, .seconds(2))) }
        return findings
    }
}

/// The exchange took longer than it may.
struct BudgetSpent: Error {}

extension HTTPClient.Request {
    fileprivate init(_ request: OutboundRequest) throws {
        try self.init(
            url: request.url, method: HTTPMethod(rawValue: request.method), body: request.body.map { .byteBuffer(ByteBuffer(bytes: $0)) })
        for field in request.headers { headers.add(name: field.name, value: field.value) }
        headers.replaceOrAdd(name: "Accept-Encoding", value: "gzip")
    }
}

extension TimeAmount {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
