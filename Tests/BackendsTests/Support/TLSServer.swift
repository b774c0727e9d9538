import Foundation
import NIOCore
import NIOPosix
import NIOSSL

final class TLSServer: Sendable {
    private let channel: any Channel

    /// - Parameter newest: the highest TLS version; nil for the library's default.
    init(certificate: String, newest: TLSVersion? = nil, status: String = "200 OK") async throws {
        let context = try Self.context(certificate: certificate, newest: newest)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(NIOSSLServerHandler(context: context), Answer(status))
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
}
