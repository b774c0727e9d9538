import Foundation
import SyncModel
import Testing

@testable import Backends

private let foreign = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nforeign"

/// Requests whose lost answer can be settled share connections; each other request has one of its own.
@Suite struct ConnectionReuseTests {
    /// Long enough that only a fault ends a request or an idle connection.
    private static let patient: TransportLimits = {
        var limits = TransportLimits(
            connect: .seconds(600), request: .seconds(600), exchange: .seconds(600), caFile: TLSServer.file("ca.pem"))
        limits.idle = .seconds(600)
        return limits
    }()

    private func serving(
        _ script: LoopbackServer.Script, overTLS: Bool = false, _ limits: TransportLimits = patient,
        _ body: (LoopbackServer, HTTPTransport) async throws -> Void
    ) async throws {
        let server = try await LoopbackServer(script, overTLS: overTLS)
        let transport = try HTTPTransport(limits)
        try await body(server, transport)
        await transport.shutdown()
        try await server.close()
    }

    /// Returns the body of the response.
    private func send(
        _ path: String, to server: LoopbackServer, over transport: HTTPTransport, isReusing: Bool = true
    ) async -> Result<String, TransportError> {
        var request = OutboundRequest(method: "POST", url: server.address(path))
        request.isReusing = isReusing
        do throws(TransportError) {
            let response = try await transport.send(request)
            return .success(String(decoding: response.body, as: UTF8.self))
        } catch {
            return .failure(error)
        }
    }

    private func isLost(_ result: Result<String, TransportError>) -> Bool {
        guard case .failure(.lost(let failure)) = result else { return false }
        return failure.outcomeUnknown && !failure.message.contains("too long")
    }

    // MARK: Sharing

    @Test(arguments: [false, true]) func requestsInTurnShareOneConnection(overTLS: Bool) async throws {
        try await serving(.echo(), overTLS: overTLS) { server, transport in
            let paths = (1...10).map { "/\($0)" }
            for path in paths { #expect(await send(path, to: server, over: transport) == .success(path)) }
            #expect(server.requests == [paths])
        }
    }

    @Test(arguments: [false, true]) func concurrentRequestsUseFewConnections(overTLS: Bool) async throws {
        try await serving(.echo(), overTLS: overTLS) { server, transport in
            await withTaskGroup(of: Void.self) { group in
                for lane in 1...8 {
                    group.addTask {
                        for number in 1...10 {
                            let path = "/\(lane)/\(number)"
                            #expect(await send(path, to: server, over: transport) == .success(path))
                        }
                    }
                }
            }
            #expect(server.requests.count <= 8 && server.requests.joined().count == 80)
        }
    }

    /// So many that some requests still wait for their connection when others end.
    @Test(arguments: [false, true]) func otherRequestsHaveConnectionsOfTheirOwn(overTLS: Bool) async throws {
        try await serving(.echo(), overTLS: overTLS) { server, transport in
            await withTaskGroup(of: Void.self) { group in
                for number in 1...80 {
                    group.addTask {
                        let isReusing = number.isMultiple(of: 2)
                        let path = "/\(isReusing ? "shared" : "own")/\(number)"
                        #expect(await send(path, to: server, over: transport, isReusing: isReusing) == .success(path))
                    }
                }
            }
            let own = server.requests.filter { $0.contains { $0.hasPrefix("/own/") } }
            #expect(own.count == 40 && own.allSatisfy { $0.count == 1 })
        }
    }

    @Test(arguments: [false, true]) func connectionOfItsOwnIsClosedAfterTheAnswer(overTLS: Bool) async throws {
        try await serving(.echo(), overTLS: overTLS) { server, transport in
            #expect(await send("/1", to: server, over: transport, isReusing: false) == .success("/1"))
            try await server.connectionsEnd()
        }
    }

    // MARK: Idle connections

    @Test(arguments: [false, true]) func idleConnectionIsClosed(overTLS: Bool) async throws {
        var limits = Self.patient
        limits.idle = .milliseconds(50)
        try await serving(.echo(), overTLS: overTLS, limits) { server, transport in
            #expect(await send("/1", to: server, over: transport) == .success("/1"))
            try await server.connectionsEnd()
        }
    }

    @Test(arguments: ["Connection: close", "Keep-Alive: timeout=1200", "keep-alive: max=9, Timeout=5", "Keep-Alive: timeout=0"])
    func serverEndsAConnectionWithItsAnswer(header: String) async throws {
        try await serving(.echo(headers: "\(header)\r\n")) { server, transport in
            for path in ["/1", "/2", "/3"] { #expect(await send(path, to: server, over: transport) == .success(path)) }
            #expect(server.requests == [["/1"], ["/2"], ["/3"]])
        }
    }

    @Test(arguments: ["Connection: keep-alive", "Keep-Alive: timeout=1201", "Keep-Alive: max=9", "Keep-Alive: timeout=soon"])
    func serverKeepsAConnectionLongEnough(header: String) async throws {
        try await serving(.echo(headers: "\(header)\r\n")) { server, transport in
            for path in ["/1", "/2", "/3"] { #expect(await send(path, to: server, over: transport) == .success(path)) }
            #expect(server.requests == [["/1", "/2", "/3"]])
        }
    }

    /// Incomplete ones too: the rest would look like the next answer.
    @Test(arguments: [foreign, "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Le", "\r\n"], [false, true])
    func unrequestedBytesEndAnIdleConnection(bytes: String, overTLS: Bool) async throws {
        try await serving(.echo(), overTLS: overTLS) { server, transport in
            #expect(await send("/1", to: server, over: transport) == .success("/1"))
            server.send(bytes)
            try await server.connectionsEnd()
            // The client may still be closing the connection; then nothing is sent.
            var next = await send("/2", to: server, over: transport)
            while case .failure(.unreachable) = next { next = await send("/2", to: server, over: transport) }
            #expect(next == .success("/2"))
            #expect(server.requests == [["/1"], ["/2"]])
        }
    }

    @Test func extraAnswerIsNotTheNextOne() async throws {
        try await serving(.reply("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nown\(foreign)")) { server, transport in
            var answers: Set<String> = []
            for number in 1...20 {
                if case .success(let body) = await send("/\(number)", to: server, over: transport) { answers.insert(body) }
            }
            #expect(answers == ["own"])
        }
    }

    // MARK: Failures

    @Test(
        arguments: [.close(after: 1), .close(after: 2), .halfClose(after: 1), .halfClose(after: 2), .drop(at: 2), .reset(at: 2)]
            as [LoopbackServer.Afterwards], [false, true])
    func failuresMatchWhatTheServerReceived(then: LoopbackServer.Afterwards, overTLS: Bool) async throws {
        try await serving(.echo(then: then), overTLS: overTLS) { server, transport in
            var answered: [String] = []
            var unsent: Set<String> = []
            for number in 1...30 {
                let path = "/\(number)"
                let result = await send(path, to: server, over: transport)
                switch result {
                case .success(let body):
                    #expect(body == path)
                    answered.append(path)
                case .failure(.unreachable): unsent.insert(path)
                case .failure(.lost): #expect(isLost(result))
                }
            }
            await transport.shutdown()
            try await server.connectionsEnd()
            let received = server.requests.flatMap(\.self)
            #expect(!answered.isEmpty && Set(answered).isSubset(of: received))
            #expect(unsent.isDisjoint(with: received))
            #expect(Set(received).count == received.count, "nothing is sent twice")
        }
    }

    @Test(arguments: [.drop(at: 2), .reset(at: 2)] as [LoopbackServer.Afterwards], [false, true])
    func requestAfterAFailedOneHasANewConnection(then: LoopbackServer.Afterwards, overTLS: Bool) async throws {
        try await serving(.echo(then: then), overTLS: overTLS) { server, transport in
            #expect(await send("/1", to: server, over: transport) == .success("/1"))
            let second = await send("/2", to: server, over: transport)
            #expect(isLost(second))
            #expect(await send("/3", to: server, over: transport) == .success("/3"))
            #expect(server.requests == [["/1", "/2"], ["/3"]])
        }
    }

    /// The kernel must not go on sending the request, which the server could get when the network is back.
    @Test(arguments: [false, true]) func cancelledRequestResetsItsConnection(overTLS: Bool) async throws {
        try await serving(.echo(then: .mute(at: 2)), overTLS: overTLS) { server, transport in
            #expect(await send("/1", to: server, over: transport) == .success("/1"))
            let task = Task { await send("/2", to: server, over: transport) }
            await server.receives("/2 HTTP")
            task.cancel()
            let second = await task.value
            #expect(isLost(second))
            await server.isReset()
            #expect(await send("/3", to: server, over: transport) == .success("/3"))
            #expect(server.requests == [["/1", "/2"], ["/3"]])
        }
    }

    // MARK: Which requests reuse connections

    /// The requests that do not, by backend.
    private static let own: [String: Set<String>] = [
        "aiphoto": ["login", "refresh", "route process_image"],
        "breathesafe": ["login", "route create_managed_user", "route fit_test", "route manual_measurement"],
        "labloop": ["login", "refresh", "logout", "logout of all devices", "route appointment"],
        "lists": ["login", "route create_list", "route create_task"],
        "lists-2026": ["login", "refresh", "route create_list", "route create_task"],
        "story16": ["login", "refresh"],
    ]

    @Test(arguments: try ShippedProfiles.names()) func signInsAndBlindRequestsDoNotReuse(name: String) async throws {
        let backend = try #require(try ShippedProfiles.backends().first { $0.name == name })
        let requests = try await ConformanceRequests(backend).all.filter { !$0.request.isReusing }
        let names = requests.map { $0.name.components(separatedBy: " with ")[0] }
        #expect(Set(names) == Self.own[name])
    }

    @Test func atMostOnceRequestDoesNotReuseEvenWithALookUp() throws {
        #expect(try breathesafe().request(for: mutation()).isReusing)
        let request = "    request: POST /users/{item.user_id}/facial_measurements_from_arkit\n"
        let backend = try breathesafe(request, "\(request)    delivery: at-most-once\n")
        #expect(try !backend.request(for: mutation()).isReusing)
    }

    @Test func requestWithAnIdempotencyKeyReuses() throws {
        let backend = try breathesafe("schema: 1\n", "schema: 1\nidempotency: {header: Idempotency-Key}\n")
        #expect(try backend.request(for: mutation("fit_test")).isReusing)
        #expect(try !breathesafe().request(for: mutation("fit_test")).isReusing)
    }
}
