import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

final class Client: Sendable {
    private let http: HTTPClient
    private let base: String

    init(base: String) {
        self.base = base
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 128
        configuration.httpVersion = .http1Only
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    convenience init(socket: String) {
        let escaped = socket.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? socket
        self.init(base: "http+unix://\(escaped)")
    }

    func close() async throws { try await http.shutdown() }

    @discardableResult
    func post(_ path: String, _ body: String = "") async throws -> Data { try await send(.POST, path, Data(body.utf8)) }
    func get(_ path: String) async throws -> Data { try await send(.GET, path, nil) }

    func submit(_ document: Data, user: Int) async throws {
        _ = try await send(.POST, "/v1/entries?backend=breathesafe&route=measurement&item.user_id=\(user)", document)
    }

    func send(_ method: HTTPMethod, _ path: String, _ body: Data?) async throws -> Data {
        var request = HTTPClientRequest(url: base + path)
        request.method = method
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let response = try await http.execute(request, timeout: .seconds(120))
        let content = Data((try await response.body.collect(upTo: 64 << 20)).readableBytesView)
        guard (200..<300).contains(response.status.code) else {
            throw BenchError("\(method) \(path): \(response.status.code) \(String(decoding: content.prefix(300), as: UTF8.self))")
        }
        return content
    }
}
