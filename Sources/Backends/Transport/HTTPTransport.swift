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
    let limits: TransportLimits
    let clock: any SyncClock

    /// Throws where the CA file cannot be read.
    package init(_ limits: TransportLimits = TransportLimits(), clock: any SyncClock = SystemClock()) throws(Failure) {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let file = limits.caFile {
            do {
                tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file))
            } catch {
                throw Failure(.tls, "The CA file \(file) holds no readable PEM certificate.")
            }
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, timeout: .init(connect: TimeAmount(limits.connect)),
            connectionPool: .init(idleTimeout: .seconds(30), concurrentHTTP1ConnectionsPerHostSoftLimit: 80), proxy: nil,
            decompression: .enabled(limit: .size(limits.answer)))
        configuration.httpVersion = .http1Only
        // With it, a refused connection takes the whole connect timeout instead of a millisecond.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
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
        // The client counts from the start: without the time to connect, a slow connection would pass for a lost answer.
        let head = limits.connect + (request.timeout ?? limits.request)
        do {
            return try await within(max(head, limits.exchange)) { [client, limits] in
                let response = try await client.execute(HTTPClientRequest(request), timeout: TimeAmount(head))
                let body = try await response.body.collect(upTo: limits.answer)
                return InboundResponse(
                    status: Int(response.status.code), headers: response.headers.map { HeaderField($0.name, $0.value) },
                    body: Data(body.readableBytesView))
            }
        } catch {
            throw TransportError(error, host: URLComponents(string: request.url)?.host ?? request.url, now: clock.now)
        }
    }

    /// Runs `exchange` within a budget that, unlike the client's own deadline, covers the body of the answer.
    private func within<T: Sendable>(_ budget: Duration, _ exchange: @escaping @Sendable () async throws -> T) async throws -> T {
        try await withThrowingTaskGroup(of: T.self) { group in
            group.addTask(operation: exchange)
            group.addTask {
                try await Task.sleep(for: budget, clock: .continuous)
                throw BudgetSpent()
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw BudgetSpent() }
            return first
        }
    }
}

/// The exchange took longer than it may.
struct BudgetSpent: Error {}

extension HTTPClientRequest {
    fileprivate init(_ request: OutboundRequest) {
        self.init(url: request.url)
        method = HTTPMethod(rawValue: request.method)
        for field in request.headers { headers.add(name: field.name, value: field.value) }
        headers.replaceOrAdd(name: "Accept-Encoding", value: "gzip")
        body = request.body.map { .bytes(ByteBuffer(bytes: $0)) }
    }
}

extension TimeAmount {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
