import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// An HTTP/1.1 server on one thread that takes a small part of the time that the daemon takes for a delivery.
final class FastServer: Sendable {
    let answers: Answers
    let listener: Listener
    let loop: any EventLoop
    private let group: MultiThreadedEventLoopGroup

    init(tls: NIOSSLContext? = nil) async throws {
        let answers = Answers()
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        loop = group.next()
        self.answers = answers
        listener = Listener(on: loop) { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(Meter(answers))
                if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                try pipeline.configureHTTPServerPipeline(
                    withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false)
                try pipeline.addHandler(Responder(answers))
            }
        }
        try await listener.goUp()
    }

    func close() async throws {
        try await listener.goDown()
        try await group.shutdownGracefully()
    }

    /// Of its thread.
    var processorSeconds: Double {
        get async throws {
            try await loop.submit { () -> Double in
                var time = timespec()
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
                return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
            }.get()
        }
    }
}

/// Counts the bytes from the network.
private final class Meter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let answers: Answers

    init(_ answers: Answers) { self.answers = answers }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        answers.change { $0.received += unwrapInboundIn(data).readableBytes }
        context.fireChannelRead(data)
    }
}

private final class Responder: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let answers: Answers
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()

    init(_ answers: Answers) { self.answers = answers }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, ByteBuffer())
        case .body(let part): body.writeImmutableBuffer(part)
        case .end:
            guard let head else { return }
            let answer = answers.answer(to: head, body)
            guard let delay = answer.delay else { return send(answer, keepsAlive: head.isKeepAlive, context) }
            context.eventLoop.assumeIsolated().scheduleTask(in: delay) {
                self.send(answer, keepsAlive: head.isKeepAlive, context)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func send(_ answer: Answers.Answer, keepsAlive: Bool, _ context: ChannelHandlerContext) {
        var head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: answer.headers)
        if !keepsAlive { head.headers.add(name: "Connection", value: "close") }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil)
        let sent = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        if !keepsAlive { sent.assumeIsolated().whenComplete { _ in context.close(promise: nil) } }
    }
}
