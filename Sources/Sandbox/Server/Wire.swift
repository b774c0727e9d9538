import HTTPTypes
import HummingbirdCore
import NIOCore

enum Wire {
    /// The connection was closed on purpose instead of a response.
    struct Cut: Error {}

    private static let largestBody = 256 * 1024 * 1024

    static func read(_ request: Request) async throws -> SandboxRequest {
        let body = try await request.body.collect(upTo: largestBody)
        var query: [String: String] = [:]
        for (name, value) in request.uri.queryParameters { query[String(name)] = String(value) }
        return SandboxRequest(
            method: request.method.rawValue, path: request.uri.path, query: query, headers: request.headers,
            host: request.head.authority ?? "localhost", body: Array(buffer: body))
    }

    /// Sends a response; throws if the client did not receive it completely.
    static func send(_ delivery: Delivery, with writer: consuming ResponseWriter, on channel: any Channel) async throws {
        switch delivery {
        case .whole(let response):
            try await writer.write(response: head(response), body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
        case .late(let response, let pause):
            try await pause()
            try await writer.write(response: head(response), body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
        case .dribbled(let response, let pause):
            var body = try await writer.writeHead(head(response))
            for byte in response.body {
                try await Task.sleep(for: pause)
                try await body.write(ByteBuffer(bytes: [byte]))
            }
            try await body.finish(nil)
        case .truncated(let response):
            var body = try await writer.writeHead(head(response))
            try await body.write(ByteBuffer(bytes: response.body.prefix(response.body.count / 2)))
            try await channel.close(mode: .all).get()
            throw Cut()
        case .cut:
            await Listener.reset(channel)
            throw Cut()
        case .never:
            // Ends when the client disconnects or the sandbox stops.
            try? await channel.closeFuture.get()
            throw Cut()
        }
    }

    private static func head(_ response: SandboxResponse) -> HTTPResponse {
        var headers = response.headers
        if response.status != 204 && response.status != 304 { headers[.contentLength] = String(response.body.count) }
        return HTTPResponse(
            status: .init(code: response.status, reasonPhrase: SandboxResponse.reason(response.status)), headerFields: headers)
    }
}

enum Delivery: Sendable {
    case whole(SandboxResponse)
    /// Sent after the pause returns.
    case late(SandboxResponse, after: @Sendable () async throws -> Void)
    case dribbled(SandboxResponse, each: Duration)
    case truncated(SandboxResponse)
    case cut
    /// The connection stays open and silent until the client or the sandbox closes it.
    case never

    func mapped(_ change: (SandboxResponse) -> SandboxResponse) -> Delivery {
        switch self {
        case .whole(let response): .whole(change(response))
        case .late(let response, let pause): .late(change(response), after: pause)
        case .dribbled(let response, let pause): .dribbled(change(response), each: pause)
        case .truncated(let response): .truncated(change(response))
        case .cut, .never: self
        }
    }

    /// The status that the client receives; nil if it gets no complete response.
    var status: Int? {
        switch self {
        case .whole(let response), .late(let response, after: _), .dribbled(let response, each: _): response.status
        case .truncated, .cut, .never: nil
        }
    }
}

struct Exchange: Sendable {
    let delivery: Delivery
    let arrival: Int
    let committed: [Int]
}
