import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Sandbox

struct LabAnswer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]

    var contentType: String? { headers.first(name: "content-type") }
    var location: String? { headers.first(name: "location") }
    var setCookies: [String] { headers["set-cookie"] }
    var text: String { String(decoding: body, as: UTF8.self) }
    func header(_ name: String) -> String? { headers.first(name: name) }
    func json() throws -> JSON { try JSON(bytes: body) }
}

/// A client with a cookie jar. It follows no redirects.
actor LabClient {
    enum Body: Sendable {
        case none
        case json(String)
        case form(String)
        case raw(String, type: String?)
        case chunked(String)
        /// Announces more bytes than it sends, then closes.
        case unfinished(String)
    }

    private static let http = HTTPClient(
        eventLoopGroupProvider: .singleton,
        configuration: {
            var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
            configuration.timeout.connect = .seconds(60)
            return configuration
        }())

    private let base: String
    private let keepsConnections: Bool
    private(set) var jar: [String: String]

    /// Without `keepsConnections`, no request uses a connection that the sandbox has closed.
    init(_ base: String, jar: [String: String] = [:], keepsConnections: Bool = true) {
        self.base = base
        self.keepsConnections = keepsConnections
        self.jar = jar
    }

    func set(_ cookie: String, to value: String?) { jar[cookie] = value }

    func send(
        _ method: String, _ path: String, accept: String = "application/json", headers: [String: String] = [:], body: Body = .none,
        deadline: TimeAmount = .minutes(1)
    ) async throws -> LabAnswer {
        var request = HTTPClientRequest(url: base + path)
        request.method = HTTPMethod(rawValue: method)
        request.headers.add(name: "accept", value: accept)
        if !keepsConnections { request.headers.add(name: "connection", value: "close") }
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if !jar.isEmpty { request.headers.add(name: "cookie", value: jar.map { "\($0)=\($1)" }.sorted().joined(separator: "; ")) }
        switch body {
        case .none: break
        case .json(let text):
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: text))
        case .form(let text):
            request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
            request.body = .bytes(ByteBuffer(string: text))
        case .raw(let text, let type):
            if let type { request.headers.add(name: "content-type", value: type) }
            request.body = .bytes(ByteBuffer(string: text))
        case .chunked(let text):
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .stream([ByteBuffer(string: text)].async, length: .unknown)
        case .unfinished(let text):
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .stream([ByteBuffer(string: text)].async, length: .known(Int64(text.utf8.count + 1_000)))
        }
        let response = try await Self.http.execute(request, deadline: .now() + deadline)
        let bytes = Array(buffer: try await response.body.collect(upTo: 64 * 1024 * 1024))
        keepCookies(response.headers["set-cookie"])
        return LabAnswer(status: Int(response.status.code), headers: response.headers, body: bytes)
    }

    private func keepCookies(_ lines: [String]) {
        for line in lines {
            let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard pair.count == 2 else { continue }
            jar[pair[0]] = pair[1].isEmpty ? nil : pair[1]
        }
    }
}

extension LabClient {
    @discardableResult
    func logIn(
        _ email: String = "manager@lab.test", password: String = BreatheSafeConfiguration.labPassword, remember: Bool = false,
        accept: String = "application/json"
    ) async throws -> LabAnswer {
        let user: JSON = ["email": .string(email), "password": .string(password), "remember_me": remember ? "1" : "0"]
        return try await send("POST", "/users/log_in", accept: accept, body: .json(JSON(dictionaryLiteral: ("user", user)).description))
    }

    func csrfHeader() async throws -> [String: String] {
        ["x-csrf-token": try await send("GET", "/csrf_token").json()["csrf_token"]?.text ?? ""]
    }

    /// Uploads a minimal measurement.
    @discardableResult
    func upload(to user: Int = 5, key: String? = nil, deadline: TimeAmount = .minutes(1)) async throws -> LabAnswer {
        var arkit: JSONObject = ["average_measurements": [:]]
        arkit["client_mutation_id"] = key.map { .string($0) }
        return try await send(
            "POST", "/users/\(user)/facial_measurements_from_arkit",
            body: .json(JSON(dictionaryLiteral: ("arkit_data", .object(arkit))).description), deadline: deadline)
    }
}

extension Array where Element: Sendable {
    fileprivate var async: AsyncStream<Element> {
        AsyncStream { continuation in
            for element in self { continuation.yield(element) }
            continuation.finish()
        }
    }
}

extension Array where Element == (String, String) {
    var headers: HTTPHeaders { HTTPHeaders(self) }
}
