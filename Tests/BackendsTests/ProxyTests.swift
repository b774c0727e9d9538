import Foundation
import SyncModel
import Testing

@testable import Backends

struct ProxyTests {
    private func get(_ url: String, _ proxies: ProxyRules) async throws -> Result<InboundResponse, TransportError> {
        var limits = TransportLimits(connect: .seconds(600), caFile: TLSServer.file("ca.pem"))
        limits.proxies = proxies
        let transport = try HTTPTransport(limits)
        let result: Result<InboundResponse, TransportError>
        do throws(TransportError) {
            result = .success(try await transport.send(OutboundRequest(method: "GET", url: url, headers: [HeaderField("Cookie", "a=b")])))
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        return result
    }

    @Test func reachesHTTPSServerThroughTunnelWithoutRevealingCookies() async throws {
        let server = try await TLSServer(certificate: "good.pem")
        let proxy = try await ConnectProxy()
        let rules = ProxyRules(proxy: Proxy("http://ann:right@127.0.0.1:\(proxy.port)"))
        #expect(try await get(server.url, rules).get().status == 200)
        let head = try #require(proxy.heads.first)
        #expect(head.hasPrefix("CONNECT localhost:\(server.port) HTTP/1.1\r\n"))
        #expect(head.lowercased().contains("proxy-authorization: basic \("ann:right".base64.lowercased())\r\n"))
        #expect(!head.contains("a=b"))
        try await proxy.close()
        try await server.close()
    }

    /// AsyncHTTPClient traps on such a response.
    @Test func answerWithUnusableStatusIsLostThroughTunnel() async throws {
        let server = try await TLSServer(certificate: "good.pem", status: "000 X")
        let proxy = try await ConnectProxy()
        for rules in [ProxyRules(), ProxyRules(proxy: Proxy("127.0.0.1:\(proxy.port)"))] {
            let result = try await get(server.url, rules)
            guard case .failure(.lost(let failure)) = result else { throw Failure(.profile, "expected lost: \(result)") }
            #expect(failure.message.hasSuffix("sent an answer with an invalid status."), "\(failure)")
        }
        #expect(proxy.heads.count == 1)
        try await proxy.close()
        try await server.close()
    }

    @Test(arguments: ["000 X", "099 X", "101 Switching Protocols"])
    func proxyWithUnusableStatusIsUnreachable(status: String) async throws {
        let proxy = try await ConnectProxy(refusal: "HTTP/1.1 \(status)\r\nContent-Length: 2\r\n\r\n{}")
        let result = try await get("https://localhost:9/", ProxyRules(proxy: Proxy("127.0.0.1:\(proxy.port)")))
        guard case .failure(.unreachable) = result else { throw Failure(.profile, "expected unreachable: \(result)") }
        try await proxy.close()
    }

    @Test func reachesAnExceptionDirectly() async throws {
        let server = try await TLSServer(certificate: "good.pem")
        let proxy = try await ConnectProxy()
        let rules = ProxyRules(proxy: Proxy("127.0.0.1:\(proxy.port)"), exceptions: ["localhost"])
        #expect(try await get(server.url, rules).get().status == 200)
        #expect(proxy.heads.isEmpty)
        try await proxy.close()
        try await server.close()
    }

    @Test(arguments: [(407, Failure.Reason.intercepted), (403, .offline), (502, .offline)])
    func proxyRefusalIsNotServerAnswer(status: Int, reason: Failure.Reason) async throws {
        let proxy = try await ConnectProxy(refusal: "HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")
        let result = try await get("https://localhost:9/", ProxyRules(proxy: Proxy("127.0.0.1:\(proxy.port)")))
        guard case .failure(.unreachable(let failure)) = result else { throw Failure(.profile, "expected unreachable: \(result)") }
        let what = status == 407 ? "requires a user and a password." : "refused the connection to localhost."
        #expect(failure.reason == reason, "\(failure)")
        #expect(failure.message.hasPrefix("The proxy 127.0.0.1:\(proxy.port) \(what)"), "\(failure)")
        try await proxy.close()
    }

    @Test func namesTheProxyThatDoesNotAnswer() async throws {
        let proxy = try await ConnectProxy()
        let address = "127.0.0.1:\(proxy.port)"
        try await proxy.close()
        let result = try await get("https://api.lab.test/", ProxyRules(proxy: Proxy(address)))
        guard case .failure(.unreachable(let failure)) = result else { throw Failure(.profile, "expected unreachable: \(result)") }
        #expect(failure == Failure(.offline, "The proxy \(address) does not answer (connection refused)."))
    }
}

extension String {
    fileprivate var base64: String { Data(utf8).base64EncodedString() }
}
