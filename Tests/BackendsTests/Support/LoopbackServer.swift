import Foundation
import Glibc
import NIOCore
import NIOPosix
import Outbox
import Synchronization

final class LoopbackServer: Sendable {
    enum Script: Sendable {
        case reply(String)
        case replyBytes(String, [UInt8])
        /// Sends a body that never ends.
        case dribble
        /// Reads and never answers.
        case mute
        /// Reads `bytes` at a time, and answers once a request of 2 MiB is complete.
        case slow(bytes: Int, every: TimeAmount)
        /// Stops reading after the first bytes.
        case stuck
        case close
        case closeAfterRequest
        /// Sends RST after the first bytes.
        case resetAfterRequest
    }

    private let channel: any Channel
    private let received: Received

    init(_ script: Script) async throws {
        let received = Received()
        self.received = received
        var pace = 0
        var bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        switch script {
        case .slow(let bytes, _): pace = bytes
        case .stuck: pace = 1024
        default: break
        }
        if pace > 0 {
            bootstrap =
                bootstrap
                .serverChannelOption(.socketOption(.so_rcvbuf), value: 64 << 10)
                .childChannelOption(.autoRead, value: false)
                .childChannelOption(.maxMessagesPerRead, value: 1)
                .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: pace))
        }
        channel =
            try await bootstrap
            .serverChannelInitializer { $0.pipeline.addHandler(Accept(received: received)) }
            .childChannelInitializer { $0.pipeline.addHandler(Answer(script: script, received: received)) }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { channel.localAddress?.port ?? 0 }
    var url: String { "http://127.0.0.1:\(port)/path" }
    var text: String { received.text.withLock { $0 } }
    func close() async throws { try await channel.close() }

    func receives(_ text: String) async { await received.news.until { self.text.contains(text) } }

    /// Waits for the end of all connections accepted so far; then everything sent on them has been received.
    func connectionsEnd() async throws {
        for end in received.ends.withLock({ $0 }) { try await end.get() }
    }

    private final class Received: Sendable {
        let text = Mutex("")
        let news = Signal()
        let ends = Mutex<[EventLoopFuture<Void>]>([])
    }

    private final class Accept: ChannelInboundHandler, Sendable {
        typealias InboundIn = any Channel
        private let received: Received

        init(received: Received) { self.received = received }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let end = unwrapInboundIn(data).closeFuture
            received.ends.withLock { $0.append(end) }
            context.fireChannelRead(data)
        }
    }

    private final class Answer: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let script: Script
        private let received: Received

        init(script: Script, received: Received) {
            self.script = script
            self.received = received
        }

        func channelActive(context: ChannelHandlerContext) {
            let channel = context.channel
            switch script {
            case .close: context.close(promise: nil)
            case .slow(_, let delay):
                channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: delay) { task in
                    if channel.isActive { channel.read() } else { task.cancel() }
                }
            case .stuck: channel.read()
            default: break
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            received.text.withLock { $0 += String(buffer: bytes) }
            received.news.send()
            switch script {
            case .reply(let text):
                if endsAHead(bytes) { write(text, context.channel) }
            case .replyBytes(let head, let body):
                guard endsAHead(bytes) else { break }
                write(head, context.channel)
                context.channel.writeAndFlush(ByteBuffer(bytes: body), promise: nil)
            case .closeAfterRequest: context.close(promise: nil)
            case .resetAfterRequest:
                // With a linger time of zero, the kernel sends RST instead of FIN.
                let reset = linger(l_onoff: 1, l_linger: 0)
                _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(reset)
                context.close(promise: nil)
            case .dribble:
                let channel = context.channel
                write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", channel)
                channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(10)) { [self] task in
                    if channel.isActive { write("x", channel) } else { task.cancel() }
                }
            case .slow:
                let isComplete = received.text.withLock { text in
                    text.range(of: "\r\n\r\n").map { text.utf8.distance(from: $0.upperBound, to: text.endIndex) >= 2 << 20 } ?? false
                }
                if isComplete { write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", context.channel) }
            case .mute, .close, .stuck: break
            }
        }

        /// True for the end of a request head and for a TLS handshake. A body in a later read must not be answered again.
        private func endsAHead(_ bytes: ByteBuffer) -> Bool {
            bytes.readableBytesView.first == 0x16 || bytes.readableBytesView.contains(Data("\r\n\r\n".utf8))
        }

        private func write(_ text: String, _ channel: any Channel) { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
    }
}
