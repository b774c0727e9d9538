import NIOCore
import NIOPosix
import Synchronization

/// A loopback proxy that opens tunnels, or answers every request with `refusal`.
final class ConnectProxy: Sendable {
    private let channel: any Channel
    private let seen: Seen

    init(refusal: String? = nil) async throws {
        let seen = Seen()
        self.seen = seen
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Tunnel(refusal, seen)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { channel.localAddress?.port ?? 0 }
    var heads: [String] { seen.heads.withLock { $0 } }
    func close() async throws { try await channel.close() }

    private final class Seen: Sendable { let heads = Mutex<[String]>([]) }

    private final class Tunnel: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let refusal: String?
        private let seen: Seen
        private var head = ""
        private var early: [ByteBuffer] = []
        private var other: (any Channel)?
        private var isAsked = false

        init(_ refusal: String?, _ seen: Seen) { (self.refusal, self.seen) = (refusal, seen) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            if let other { return other.writeAndFlush(bytes, promise: nil) }
            guard !isAsked else { return early.append(bytes) }
            head += String(buffer: bytes)
            guard head.hasSuffix("\r\n\r\n") else { return }
            isAsked = true
            seen.heads.withLock { $0.append(head) }
            let channel = context.channel
            if let refusal {
                channel.writeAndFlush(ByteBuffer(string: refusal), promise: nil)
                return
            }
            let port = head.split(separator: " ").dropFirst().first?.split(separator: ":").last.flatMap { Int($0) } ?? 0
            let loopBound = NIOLoopBound(self, eventLoop: context.eventLoop)
            ClientBootstrap(group: context.eventLoop).channelInitializer { $0.pipeline.addHandler(Back(to: channel)) }
                .connect(host: "127.0.0.1", port: port).whenComplete { result in
                    guard case .success(let other) = result else { return channel.close(promise: nil) }
                    loopBound.value.other = other
                    channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n\r\n"), promise: nil)
                    for bytes in loopBound.value.early { other.writeAndFlush(bytes, promise: nil) }
                }
        }

        func channelInactive(context: ChannelHandlerContext) { other?.close(promise: nil) }
    }

    private final class Back: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        private let channel: any Channel
        init(to channel: any Channel) { self.channel = channel }
        func channelRead(context: ChannelHandlerContext, data: NIOAny) { channel.writeAndFlush(unwrapInboundIn(data), promise: nil) }
        func channelInactive(context: ChannelHandlerContext) { channel.close(promise: nil) }
    }
}
