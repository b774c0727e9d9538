import Foundation
import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

final class TLSServer: Sendable {
    private let channel: any Channel

    /// - Parameters:
    ///   - newest: the highest TLS version; nil for the library's default.
    ///   - cuts: how many connections end at the first bytes of their handshake, before any succeeds.
    ///   - byReset: they end with RST, not with FIN.
    init(
        certificate: String, newest: TLSVersion? = nil, status: String = "200 OK", cutting cuts: Int = 0, byReset: Bool = false
    ) async throws {
        let context = try Self.context(certificate: certificate, newest: newest)
        let cuts = Cuts(cuts)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if cuts.takeOne() {
                        try pipeline.addHandler(Cut(byReset: byReset))
                    } else {
                        try pipeline.addHandlers(NIOSSLServerHandler(context: context), Answer(status))
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { channel.localAddress?.port ?? 0 }
    var url: String { "https://localhost:\(port)/path" }
    func close() async throws { try await channel.close() }

    static func context(certificate: String, newest: TLSVersion? = nil) throws -> NIOSSLContext {
        let key = try NIOSSLPrivateKey(file: file("server.key"), format: .pem)
        let chain = try NIOSSLCertificate.fromPEMFile(file(certificate)).map { NIOSSLCertificateSource.certificate($0) }
        var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
        if let newest { (configuration.minimumTLSVersion, configuration.maximumTLSVersion) = (.tlsv1, newest) }
        return try NIOSSLContext(configuration: configuration)
    }

    static func file(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path + "/Fixtures/tls/" + name
    }

    private final class Answer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let status: String

        init(_ status: String) { self.status = status }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let text = "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }

        /// A peer that refuses the certificate closes the connection.
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private final class Cuts: Sendable {
        private let left: Mutex<Int>

        init(_ count: Int) { left = Mutex(count) }

        /// False if none is left.
        func takeOne() -> Bool {
            left.withLock { left in
                guard left > 0 else { return false }
                left -= 1
                return true
            }
        }
    }

    /// Closes when everything is read: with unread bytes, the kernel would send RST.
    private final class Cut: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let byReset: Bool

        init(byReset: Bool) { self.byReset = byReset }

        func channelReadComplete(context: ChannelHandlerContext) {
            // With a linger time of zero, the kernel sends RST instead of FIN.
            if byReset { _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)) }
            context.close(promise: nil)
        }
    }
}
