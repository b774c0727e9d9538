import NIOCore
import NIOPosix
import NIOSSL
import StationSupport
import Synchronization

/// A TLS server in front of the backend, with a certificate that can be changed.
final class TLSFront: Sendable {
    private struct Shown: Sendable {
        var context: NIOSSLContext
        var open: [ObjectIdentifier: any Channel] = [:]
        var requestBytes = 0
    }

    private let shown: Mutex<Shown>
    private let listener: Mutex<(any Channel)?>

    /// The port it listens on; 0 for a Unix socket.
    var port: UInt16 { UInt16(listener.withLock { $0?.localAddress?.port } ?? 0) }
    var requestBytes: Int { shown.withLock(\.requestBytes) }

    /// - Parameters:
    ///   - path: the Unix socket to listen on; nil for any port on loopback.
    ///   - target: the backend's port on loopback.
    init(at path: String? = nil, target: UInt16, showing identity: Authority.Identity) async throws {
        shown = Mutex(Shown(context: try Self.context(identity)))
        listener = Mutex(nil)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).childChannelInitializer { [self] channel in
            let context = note(channel)
            return ClientBootstrap(group: channel.eventLoop).connect(host: "127.0.0.1", port: Int(target)).flatMapThrowing { peer in
                try peer.pipeline.syncOperations.addHandler(Passage(to: channel) { _ in })
                let inward = Passage(to: peer) { [self] count in shown.withLock { $0.requestBytes += count } }
                try channel.pipeline.syncOperations.addHandlers(NIOSSLServerHandler(context: context), inward)
            }
        }
        let channel =
            if let path { try await bootstrap.bind(unixDomainSocketPath: path).get() } else {
                try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
            }
        listener.withLock { $0 = channel }
    }

    /// Changes the certificate and closes open connections. Returns once their clients have closed them too, so that none is used again.
    func show(_ identity: Authority.Identity) async throws {
        let context = try Self.context(identity)
        let open = shown.withLock { shown in
            shown.context = context
            return shown.open
        }
        // `try?`: it may be closed already.
        for channel in open.values { try? await channel.close() }
    }

    func close() async throws {
        try await listener.withLock(\.self)?.close()
        for channel in shown.withLock(\.open).values { channel.close(promise: nil) }
    }

    private func note(_ channel: any Channel) -> NIOSSLContext {
        channel.closeFuture.whenComplete { [self] _ in _ = shown.withLock { $0.open.removeValue(forKey: ObjectIdentifier(channel)) } }
        return shown.withLock { shown in
            shown.open[ObjectIdentifier(channel)] = channel
            return shown.context
        }
    }

    private static func context(_ identity: Authority.Identity) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMFile(identity.certificate).map { NIOSSLCertificateSource.certificate($0) }
        let key = try NIOSSLPrivateKey(file: identity.key, format: .pem)
        return try NIOSSLContext(configuration: .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key)))
    }

    private final class Passage: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let other: any Channel
        private let count: (Int) -> Void

        init(to other: any Channel, count: @escaping (Int) -> Void) {
            self.other = other
            self.count = count
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            count(buffer.readableBytes)
            other.writeAndFlush(buffer, promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }

        /// Clients close the connection when they refuse the certificate.
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
