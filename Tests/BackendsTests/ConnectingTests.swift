import Foundation
import SyncModel
import Testing

@testable import Backends

/// Connections that only show whether the backend is reachable.
struct ConnectingTests {
    private func limits(trusting caFile: String? = TLSServer.file("ca.pem"), connect: Duration = .seconds(600)) -> TransportLimits {
        TransportLimits(connect: connect, caFile: caFile)
    }

    private func connect(to url: String, _ limits: TransportLimits) async throws -> Failure? {
        let transport = try HTTPTransport(limits)
        let error = await failure { () throws(TransportError) in try await transport.connect(to: url) }
        await transport.shutdown()
        if case .lost? = error { Issue.record("nothing was sent that could be lost") }
        return error?.failure
    }

    @Test(arguments: [false, true]) func connectsWithoutARequest(overTLS: Bool) async throws {
        let server = try await LoopbackServer(.mute, overTLS: overTLS)
        let transport = try HTTPTransport(limits())
        // The end of one connection must not disturb the next.
        for _ in 1...3 { try await transport.connect(to: server.url) }
        try await server.connectionsEnd()
        #expect(server.text.isEmpty)
        await transport.shutdown()
        try await server.close()
    }

    /// Reading the authorities of the system takes long.
    @Test func allConnectionsShareOneTLSContext() async throws {
        let transport = try HTTPTransport(limits())
        #expect(try transport.trialContext() === transport.trialContext())
        await transport.shutdown()
    }

    @Test func aClosedPortIsOffline() async throws {
        let server = try await LoopbackServer(.mute)
        let url = server.url
        try await server.close()
        let refused = Failure(.offline, "The backend at 127.0.0.1 does not answer (connection refused).")
        #expect(try await connect(to: url, limits()) == refused)
    }

    @Test(arguments: [("good.pem", false, "does not trust"), ("other.pem", true, "another name"), ("expired.pem", true, "expired on")])
    func aWrongCertificateIsNoConnection(certificate: String, isTrusted: Bool, words: String) async throws {
        let server = try await TLSServer(certificate: certificate)
        let failure = try #require(try await connect(to: server.url, limits(trusting: isTrusted ? TLSServer.file("ca.pem") : nil)))
        #expect(failure.reason == .tls && failure.message.contains(words), "\(failure)")
        try await server.close()
    }

    /// As of a captive portal that accepts every connection. A close reaches the client as a reset, or as an end of file in the handshake.
    @Test(arguments: [
        (LoopbackServer.Script.mute, "connecting took too long"), (.close, "the connection broke during setup"),
        (.closeAfterRequest, "the connection broke during setup"), (.resetAfterRequest, "the connection broke during setup"),
    ])
    func aPeerWithoutTLSIsNoConnection(script: LoopbackServer.Script, why: String) async throws {
        let server = try await LoopbackServer(script)
        let connect = script.isMute ? Duration.milliseconds(500) : .seconds(600)
        let failure = try await self.connect(to: "https://localhost:\(server.port)", limits(connect: connect))
        #expect(failure == Failure(.offline, "The backend at localhost does not answer (\(why))."))
        try await server.close()
    }

    @Test func connectsThroughTheProxy() async throws {
        let server = try await TLSServer(certificate: "good.pem")
        let proxy = try await ConnectProxy()
        var limits = self.limits()
        limits.proxies = ProxyRules(proxy: Proxy("http://ann:right@127.0.0.1:\(proxy.port)"))
        #expect(try await connect(to: server.url, limits) == nil)
        #expect(proxy.heads.count == 1 && proxy.heads.first?.hasPrefix("CONNECT localhost:\(server.port) HTTP/1.1\r\n") == true)
        try await proxy.close()
        try await server.close()
    }

    @Test(arguments: [(407, Failure.Reason.intercepted), (502, .offline)])
    func aProxyThatRefusesIsNoConnection(status: Int, reason: Failure.Reason) async throws {
        let proxy = try await ConnectProxy(refusal: "HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")
        var limits = self.limits()
        limits.proxies = ProxyRules(proxy: Proxy("127.0.0.1:\(proxy.port)"))
        let failure = try await connect(to: "https://localhost:9/", limits)
        #expect(failure?.reason == reason && failure?.message.hasPrefix("The proxy 127.0.0.1:\(proxy.port) re") == true)
        try await proxy.close()
    }

    @Test func aCancelledConnectionIsNoVerdict() async throws {
        let server = try await LoopbackServer(.mute)
        let transport = try HTTPTransport(limits())
        let url = "https://localhost:\(server.port)"
        let task = Task { await failure { () throws(TransportError) in try await transport.connect(to: url) } }
        // The start of the handshake.
        await server.receives("\u{16}")
        task.cancel()
        #expect(await task.value?.failure.reason == .stopping)
        await transport.shutdown()
        try await server.close()
    }
}

extension LoopbackServer.Script {
    fileprivate var isMute: Bool { if case .mute = self { true } else { false } }
}
