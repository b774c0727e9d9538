import AsyncHTTPClient
import ControlAPI
import ControlServer
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import TestSupport

struct Served {
    let client: ControlClient
    private let group: ServiceGroup

    /// Serves during `work`, then shuts down gracefully and waits for the server to end.
    static func with(
        _ service: FakeService, policy: AccessPolicy = AccessPolicy(), limits: ControlLimits = ControlLimits(),
        heartbeat: Duration = .seconds(3600), log: Logger = .silent, _ work: (Served) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let socket = try UnixSocket(path: directory("homing.sock"), mode: 0o660)
        defer { socket.close() }
        var limits = limits
        limits.heartbeat = heartbeat
        let server = ControlServer(socket: socket, service: service.service, policy: policy, limits: limits, log: log)
        let group = ServiceGroup(services: [server], logger: log)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await work(Served(client: ControlClient(socketPath: socket.path, timeout: .seconds(600)), group: group))
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    func shutDown() async { await group.triggerGracefulShutdown() }

    func send(
        _ method: HTTPMethod, _ path: String, headers: [(String, String)] = [], body: ByteBuffer? = nil
    ) async throws -> HTTPClientResponse {
        let socket = client.socketPath.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        var request = HTTPClientRequest(url: "http+unix://\(socket)\(path)")
        request.method = method
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if !headers.contains(where: { $0.0 == "Host" }) { request.headers.add(name: "Host", value: "localhost") }
        if let body { request.body = .bytes(body) }
        return try await HTTPClient.shared.execute(request, timeout: .seconds(600))
    }

    func problem(
        _ method: HTTPMethod, _ path: String, headers: [(String, String)] = [], body: ByteBuffer? = nil
    ) async throws -> (Problem, contentType: String?) {
        let response = try await send(method, path, headers: headers, body: body)
        let content = try await response.body.collect(upTo: 1 << 20)
        let problem = try JSONCoding.decoder.decode(Problem.self, from: Data(content.readableBytesView))
        guard problem.status == Int(response.status.code) else { throw problem }
        return (problem, response.headers.first(name: "content-type"))
    }
}
