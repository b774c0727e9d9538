import Foundation
import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import Outbox
import Synchronization

final class LoopbackServer: Sendable {
    enum Script: Sendable {
        case reply(String)
        /// Then nothing more is sent on the connection.
        case replyAndClose(String)
        case replyAndStopReading(String)
        case replyBytes(String, [UInt8])
        /// Answers each request with its path, and with these header lines.
        case echo(headers: String = "", then: Afterwards = .wait)
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

    /// On each connection.
    enum Afterwards: Sendable {
        case wait
        /// After so many answers.
        case close(after: Int)
        case halfClose(after: Int)
        /// At this request, which gets no answer.
        case mute(at: Int)
        case drop(at: Int)
        case reset(at: Int)
    }

    private let channel: any Channel
    private let received: Received
    private let host: String

    init(_ script: Script, overTLS: Bool = false) async throws {
        let tls = overTLS ? try TLSServer.context(certificate: "good.pem") : nil
        host = overTLS ? "https://localhost" : "http://127.0.0.1"
        let received = Received()
        self.received = received
        var pace = 0
        var bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        switch script {
        case .slow(let bytes, _): pace = bytes
        case .stuck, .replyAndStopReading: pace = 1024
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
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    try pipeline.addHandler(Answer(script: script, received: received))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { channel.localAddress?.port ?? 0 }
    var url: String { address("/path") }
    func address(_ path: String) -> String { "\(host):\(port)\(path)" }
    var text: String { received.text.withLock { $0 } }
    /// The paths of the requests on each connection, for `echo`.
    var requests: [[String]] { received.connections.withLock { $0.map(\.requests) } }
    func close() async throws { try await channel.close() }

    /// Sends this on all open connections.
    func send(_ text: String) {
        for connection in received.connections.withLock({ $0 }) {
            connection.channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
        }
    }

    func receives(_ text: String) async { await received.news.until { self.text.contains(text) } }

    /// Waits for the end of all connections accepted so far; then everything sent on them has been received.
    func connectionsEnd() async throws {
        for connection in received.connections.withLock({ $0 }) { try await connection.channel.closeFuture.get() }
    }

    /// Waits until a client has reset a connection.
    func isReset() async { await received.news.until { self.received.isReset.load(ordering: .relaxed) } }

    private struct Connection: Sendable {
        let channel: any Channel
        var requests: [String] = []
    }

    private final class Received: Sendable {
        let text = Mutex("")
        let news = Signal()
        let connections = Mutex<[Connection]>([])
        let isReset = Atomic(false)

        /// Returns the number of requests on the connection so far.
        func note(_ path: String, on channel: any Channel) -> Int {
            connections.withLock { connections in
                guard let index = connections.firstIndex(where: { $0.channel === channel }) else { return 0 }
                connections[index].requests.append(path)
                return connections[index].requests.count
            }
        }
    }

    private final class Accept: ChannelInboundHandler, Sendable {
        typealias InboundIn = any Channel
        private let received: Received

        init(received: Received) { self.received = received }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let channel = unwrapInboundIn(data)
            received.connections.withLock { $0.append(Connection(channel: channel)) }
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
            case .stuck, .replyAndStopReading: channel.read()
            default: break
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            received.text.withLock { $0 += String(buffer: bytes) }
            received.news.send()
            switch script {
            case .reply(let text), .replyAndStopReading(let text):
                if endsAHead(bytes) { write(text, context.channel) }
            case .replyAndClose(let text):
                guard endsAHead(bytes) else { break }
                let channel = context.channel
                channel.writeAndFlush(ByteBuffer(string: text)).whenComplete { _ in channel.close(mode: .output, promise: nil) }
            case .replyBytes(let head, let body):
                guard endsAHead(bytes) else { break }
                write(head, context.channel)
                context.channel.writeAndFlush(ByteBuffer(bytes: body), promise: nil)
            case .echo(let headers, let then):
                for match in String(buffer: bytes).matches(of: /[A-Z]+ (\S+) HTTP/) {
                    echo(String(match.output.1), headers, then, context)
                }
            case .closeAfterRequest: context.close(promise: nil)
            case .resetAfterRequest: reset(context)
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

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if (error as? IOError)?.errnoCode == ECONNRESET {
                received.isReset.store(true, ordering: .relaxed)
                received.news.send()
            }
            context.close(promise: nil)
        }

        private func echo(_ path: String, _ headers: String, _ then: Afterwards, _ context: ChannelHandlerContext) {
            let count = received.note(path, on: context.channel)
            switch then {
            case .mute(at: count): return
            case .drop(at: count): return context.close(promise: nil)
            case .reset(at: count): return reset(context)
            default: write("HTTP/1.1 200 OK\r\n\(headers)Content-Length: \(path.utf8.count)\r\n\r\n\(path)", context.channel)
            }
            switch then {
            case .close(after: count): context.close(promise: nil)
            case .halfClose(after: count): belowTLS(context).close(mode: .output, promise: nil)
            default: break
            }
        }

        private func reset(_ context: ChannelHandlerContext) {
            // With a linger time of zero, the kernel sends RST instead of FIN.
            let reset = linger(l_onoff: 1, l_linger: 0)
            _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(reset)
            belowTLS(context).close(promise: nil)
        }

        private func belowTLS(_ context: ChannelHandlerContext) -> ChannelHandlerContext {
            // `try?`: a plain connection has no such handler.
            (try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)) ?? context
        }

        /// True for the end of a request head and for a TLS handshake. A body in a later read must not be answered again.
        private func endsAHead(_ bytes: ByteBuffer) -> Bool {
            bytes.readableBytesView.first == 0x16 || bytes.readableBytesView.contains(Data("\r\n\r\n".utf8))
        }

        private func write(_ text: String, _ channel: any Channel) { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
    }
}
