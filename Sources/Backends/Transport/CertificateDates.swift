import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// TLS does not report why a certificate was refused; its dates may show it.
struct CertificateDates: Sendable, Hashable {
    let from, until: Date

    /// Reads the dates on a separate connection, which sends no data. Nil after `limit` or on cancellation.
    static func shown(at host: String, port: Int, on loop: any EventLoop, within limit: TimeAmount) async -> CertificateDates? {
        let seen = loop.makePromise(of: CertificateDates?.self)
        // `try?`: a host that is no IP address is a name, as SNI needs.
        let name = (try? SocketAddress(ipAddress: host, port: port)) == nil ? host : nil
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([])
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(limit).channelInitializer { [configuration] channel in
            channel.eventLoop.makeCompletedFuture {
                let tls = try NIOSSLClientHandler(context: NIOSSLContext(configuration: configuration), serverHostname: name) {
                    (chain: [NIOSSLCertificate], verdict: EventLoopPromise<NIOSSLVerificationResult>) in
                    seen.succeed(chain.first.map(CertificateDates.init))
                    verdict.succeed(.failed)
                }
                try channel.pipeline.syncOperations.addHandler(tls)
            }
        }
        bootstrap.connect(host: host, port: port).whenComplete { result in
            switch result {
            case .failure: seen.succeed(nil)
            case .success(let channel):
                channel.closeFuture.whenComplete { _ in seen.succeed(nil) }
                seen.futureResult.whenComplete { _ in channel.close(promise: nil) }
            }
        }
        let timer = loop.scheduleTask(in: limit) { seen.succeed(nil) }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            // `try?`: the future never fails.
            (try? await seen.futureResult.get()) ?? nil
        } onCancel: {
            seen.succeed(nil)
        }
    }

    init(from: Date, until: Date) {
        self.from = from
        self.until = until
    }

    private init(_ certificate: NIOSSLCertificate) {
        from = Date(timeIntervalSince1970: TimeInterval(certificate.notValidBefore))
        until = Date(timeIntervalSince1970: TimeInterval(certificate.notValidAfter))
    }
}
