import Glibc
import NIOSSL
import SyncModel

package struct TransportLimits: Sendable, Hashable {
    /// Including TLS.
    package var connect: Duration
    /// After that, the maximum time without a transfer, unless the request sets its own.
    package var request: Duration
    /// The whole exchange, extended by the transferred bytes.
    package var exchange: Duration
    /// The only trusted authorities, as PEM; nil for the system's.
    package var caFile: String?
    package var proxies = ProxyRules()
    /// In bytes. AsyncHTTPClient traps if the head is not sent in one piece.
    package var head = 32 << 10
    /// How long an idle connection stays open. Common servers close theirs after 2 seconds or more, and a request that crosses the close is
    /// lost.
    package var idle = Duration.seconds(1)
    /// In bytes: a response may repeat a payload of 32 MiB, or list hundreds.
    package var answer = 64 << 20

    package init(
        connect: Duration = .seconds(10), request: Duration = .seconds(30), exchange: Duration = .seconds(60), caFile: String? = nil
    ) {
        self.connect = connect
        self.request = request
        self.exchange = exchange
        self.caFile = caFile
    }

    package func checkAuthorities() throws(Failure) { _ = try authorities() }

    /// Nil for the system's.
    func authorities() throws(Failure) -> [NIOSSLCertificate]? {
        guard let caFile else { return nil }
        var facts = stat()
        // Only regular files, because a pipe could block. `try?`: the message needs no details.
        guard stat(caFile, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, let found = try? NIOSSLCertificate.fromPEMFile(caFile),
            !found.isEmpty
        else { throw Failure(.tls, "The CA file \(caFile) contains no readable PEM certificate.") }
        return found
    }
}
