import Backends
import Foundation
import SyncModel

/// The result of one connection to a backend, made as for a delivery but without credentials.
struct BackendTrial: Sendable, Equatable {
    var backend: String
    var host: String
    /// Nil for a direct connection.
    var proxy: String?
    /// Of the host, or of the proxy.
    var name = NameLookup.known
    /// Why there is no connection; nil if there is one.
    var refusal: Failure?
    /// The answer of the health route; nil without such a route, or without a connection.
    var health: Health?
    /// Seconds by which the server's clock is ahead; nil if unknown.
    var skew: TimeInterval?
}

extension BackendTrial {
    init(of backend: Backend, over transport: any Transport, _ proxies: ProxyRules, clock: any SyncClock) async {
        let url = URLComponents(string: backend.baseURL)
        let proxy = proxies.proxy(for: url)
        let host = (url?.host ?? backend.baseURL).trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        self.init(backend: backend.name, host: host, proxy: proxy?.description)
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

    private static let patience = Duration.seconds(10)
}
