import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A local server with scripted responses. It records requests.
final class ScriptedServer: Sendable {
    struct Request: Sendable {
        let method: String
        /// Without the query.
        let path: String
        let headers: HTTPHeaders
        let body: String

        var line: String { "\(method) \(path)" }

        func header(_ name: String) -> String { headers[name].joined(separator: "; ") }

        func cookie(_ name: String) -> String? {
            header("Cookie").components(separatedBy: "; ").first { $0.hasPrefix(name + "=") }
                .map { String($0.dropFirst(name.count + 1)) }
        }
    }

    struct Answer: Sendable {
        var status: Int
        var body: String
        var headers: [(String, String)] = [("Content-Type", "application/json")]

        init(_ status: Int, _ body: String, cookies: [String] = []) {
            (self.status, self.body) = (status, body)
            headers += cookies.map { ("Set-Cookie", $0) }
        }
    }

    private let channel: any Channel
    private let seen: Seen

    /// - Parameters:
    ///   - socket: the path of a Unix socket; nil for a port on loopback.
    ///   - port: 0 for any.
    init(at socket: String? = nil, port: Int = 0, _ answer: @escaping @Sendable (Request) -> Answer) async throws {
        let seen = Seen()
        self.seen = seen
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Answering(answer, seen))
                }
            }
        let bound = if let socket { bootstrap.bind(unixDomainSocketPath: socket) } else { bootstrap.bind(host: "127.0.0.1", port: port) }
        channel = try await bound.get()
    }

    var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }
    var requests: [Request] { seen.requests.withLock { $0 } }
    func count(_ line: String) -> Int { requests.count { $0.line == line } }
    func stop() async { try? await channel.close() }  // `try?`: it may be closed already

    private final class Seen: Sendable { let requests = Mutex<[Request]>([]) }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart
        private let answer: @Sendable (Request) -> Answer
        private let seen: Seen
        private var head: HTTPRequestHead?
        private var body = ""

        init(_ answer: @escaping @Sendable (Request) -> Answer, _ seen: Seen) { (self.answer, self.seen) = (answer, seen) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): (self.head, body) = (head, "")
            case .body(let part): body += String(buffer: part)
            case .end:
                guard let head else { return }
                let path = String(head.uri.prefix { $0 != "?" })
                let request = Request(method: head.method.rawValue, path: path, headers: head.headers, body: body)
                seen.requests.withLock { $0.append(request) }
                write(answer(request), context)
            }
        }

        private func write(_ answer: Answer, _ context: ChannelHandlerContext) {
            var headers = HTTPHeaders(answer.headers)
            headers.add(name: "Content-Length", value: "\(answer.body.utf8.count)")
            context.write(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .init(statusCode: answer.status), headers: headers))),
                promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
