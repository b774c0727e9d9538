import AsyncHTTPClient
import SyncModel

extension TransportError {
    /// The fault of a proxy that made no connection to the server; nil for any other error.
    static func fault(of proxy: String, to host: String, _ error: any Error, _ findings: Findings) -> Failure? {
        switch error {
        case let error as HTTPClientError where error == .proxyAuthenticationRequired:
            return Failure(
                .intercepted, status: 407,
                "The proxy \(proxy) requires a user and a password. Set them in homing.yaml: proxy: http://USER:PASSWORD@HOST:PORT")
        case let error as HTTPClientError where error == .invalidProxyResponse:
            return Failure(.offline, "The proxy \(proxy) refused the connection to \(host).")
        case let error as HTTPClientError where error == .httpProxyHandshakeTimeout:
            return Failure(.offline, "The proxy \(proxy) did not connect to \(host) in time.")
        // The way beyond the proxy may be the cause.
        case let error as HTTPClientError where [.tlsHandshakeTimeout, .getConnectionFromPoolTimeout].contains(error): return nil
        default: return obstacle(error, findings).map { Failure(.offline, "The proxy \(proxy) does not answer (\($0)).") }
        }
    }
}
