import Backends
import Foundation
import SyncModel

/// The result of one connection to a backend, made as for a delivery but without credentials.
struct BackendTrial: Sendable, Equatable {
    var backend: String
    var host: String
    /// Nil for a direct connection.
    var proxy: String?
    /// The DNS result for the host, or for the proxy.
    var name = NameLookup.known
    /// Why there is no connection; nil if there is one.
    var refusal: Failure?
    /// The answer of the health route; nil without such a route, or without a connection.
    var health: Health?
    /// It took too long, so nothing else is known.
    var isCut = false
    /// Seconds by which the server's clock is ahead; nil if unknown.
    var skew: TimeInterval?
}

extension BackendTrial {
    init(of backend: Backend, over transport: any Transport, _ proxies: ProxyRules, clock: any SyncClock) async {
        let proxy = proxies.proxy(for: URLComponents(string: backend.baseURL))
        self.init(at: backend, through: proxy)
        name = await NameLookup.of(proxy?.host ?? host, within: Self.patience)
        do throws(TransportError) { try await transport.connect(to: backend.baseURL) } catch {
            refusal = error.failure
            return
        }
        guard var request = backend.health else { return }
        (request.timeout, request.isBrief) = (Self.patience, true)
        do throws(TransportError) {
            let response = try await transport.send(request)
            health = backend.health(response)
            // A login page has the clock of another computer.
            if case .intercepted? = health { return }
            skew = response.date.map { $0.timeIntervalSince(clock.now) }
        } catch {
            health = .unreachable(error.failure)
        }
    }

    /// A trial that did not end within `limit`.
    init(unanswered backend: Backend, through proxies: ProxyRules, within limit: Duration) {
        self.init(at: backend, through: proxies.proxy(for: URLComponents(string: backend.baseURL)))
        isCut = true
        refusal = Failure(.offline, "\(proxy.map { "The proxy \($0)" } ?? host) did not answer within \(limit.components.seconds) seconds.")
    }

    private init(at backend: Backend, through proxy: Proxy?) {
        let host = (URLComponents(string: backend.baseURL)?.host ?? backend.baseURL)
            .trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        self.init(backend: backend.name, host: host, proxy: proxy?.description)
    }

    private static let patience = Duration.seconds(10)
}
