import ControlAPI
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOPosix
import Synchronization
import TestSupport

@testable import Dashboard

/// A socket that answers as a test says, and remembers the calls.
final class FakeDaemon: Sendable {
    /// The answer of which nothing comes.
    struct Endless: Encodable {}

    private let made = Mutex<[String]>([])
    /// Such as `GET /v1/status`.
    var calls: [String] { made.withLock { $0 } }

    /// - Parameter answer: to a call; nil for 404.
    func serve(
        _ answer: @escaping @Sendable (String) -> (any Encodable)?, _ work: (ControlClient) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let (running, started) = AsyncStream.makeStream(of: Void.self)
        let http = HTTP1Channel(responder: { [self] request, writer, _ in
            let call = "\(request.method.rawValue) \(request.head.path ?? "")"
            made.withLock { $0.append(call) }
            let answer = answer(call)
            if answer is Endless {
                let body = ResponseBody { _ in try await Task.sleep(for: .seconds(86_400)) }
                return try await writer.write(response: HTTPResponse(status: .ok), body: body)
            }
            let body = answer.map { JSONCoding.encoded($0) }
            let response = Response(
                status: body == nil ? .notFound : .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body ?? Data())))
            try await writer.write(response: response.head, body: response.body)
        })
        let server = Server(
            childChannelSetup: ClosingHTTP1Channel(http),
            configuration: ServerConfiguration(address: .unixDomainSocket(path: directory("homing.sock"))),
            onServerRunning: { _ in started.finish() }, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: .silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { started.finish() }
                try await server.run()
            }
            for await _ in running {}
            try await work(ControlClient(socketPath: directory("homing.sock")))
            group.cancelAll()
        }
    }
}
