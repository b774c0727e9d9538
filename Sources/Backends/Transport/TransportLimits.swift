import Glibc
import NIOSSL
import SyncModel

/// How long an exchange may take, and whom it trusts.
package struct TransportLimits: Sendable, Hashable {
    /// Until the connection, TLS included, stands.
    package var connect: Duration
    /// From there on, for how long no byte need move, either way, where the request names no time of its own.
    package var request: Duration
    /// The whole exchange, as far as that is not for the bytes that move: a large document over a slow connection takes its time.
    package var exchange: Duration
    /// A PEM file with the only authorities to trust; nil means the system's.
    package var caFile: String?
    package var proxies = ProxyRules()
    /// The longest request line and headers that are sent, in bytes. The HTTP client traps if the head does not go out in one piece.
    package var head = 32 << 10
    /// The longest answer that is read, in bytes: one may repeat the largest document, of 32 MiB, and a list to look in holds hundreds of them.
    package var answer = 64 << 20

    package init(
        connect: Duration = .seconds(10), request: Duration = .seconds(30), exchange: Duration = .seconds(60), caFile: String? = nil
    ) {
        self.connect = connect
        self.request = request
        self.exchange = exchange
        self.caFile = caFile
    }

    /// Throws where `caFile` holds no certificate.
    package func checkAuthorities() throws(Failure) { _ = try authorities() }

    /// The certificates of `caFile`; nil where the system's are to be trusted.
    func authorities() throws(Failure) -> [NIOSSLCertificate]? {
        guard let caFile else { return nil }
        var facts = stat()
        // A pipe would be waited for without end. `try?`: that they cannot be read is all there is to say.
        guard stat(caFile, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, let found = try? NIOSSLCertificate.fromPEMFile(caFile),
            !found.isEmpty
        else { throw Failure(.tls, "The CA file \(caFile) holds no readable PEM certificate.") }
        return found
    }
}
