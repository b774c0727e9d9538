import Foundation
import SyncModel
import TestSupport
import Testing

@testable import Backends
@testable import Sessions

@Suite struct HidingTests {
    @Test(arguments: [
        (#"a"b/c d+é"#, #"<a"b/c d+é>"#), (#"a"b/c d+é"#, #"<a\"b/c d+é>"#), (#"a"b/c d+é"#, #"<a\"b\/c d+é>"#),
        (#"a"b/c d+é"#, "<a%22b%2Fc%20d%2B%C3%A9>"), (#"a"b/c d+é"#, "<a%22b%2Fc+d%2B%C3%A9>"), ("token", "<token>"),
    ])
    func everyFormOfASecretIsHidden(secret: String, text: String) {
        #expect(text.hiding([Secret(secret)]) == "<(hidden)>")
    }

    @Test func hidesOverlappingSecrets() {
        #expect("abc abcdef".hiding([Secret("abc"), Secret("abcdef"), Secret("")]) == "(hidden) (hidden)")
        #expect("nothing".hiding([Secret("abc")]) == "nothing")
    }

    /// Over a socket: the values sent with a request are removed from the message of its response.
    @Test func hidesRequestSecretsInAnswerText() async throws {
        let body = #"{"message":"No access-1, no s%3A77.secret-cookie, no csrf-9."}"#
        let server = try await LoopbackServer(
            .reply("HTTP/1.1 422 No\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"))
        let transport = try HTTPTransport()
        let bearer = try load(["tok.yaml": TokenBench.profile])[0]
        var request = OutboundRequest(method: "POST", url: server.url)
        BearerScheme(backend: bearer, clock: SystemClock()).authorize(
            &request, with: Credentials(tokens: Tokens(access: Secret("access-1"), refresh: nil, receivedAt: noon, lifetime: nil)))
        var credentials = Credentials()
        let cookie = HeaderField("Set-Cookie", "s=s%3A77.secret-cookie; path=/")
        _ = credentials.cookies.absorb(InboundResponse(status: 200, headers: [cookie]), to: request, at: noon)
        request.setHeader("X-CSRF-Token", "csrf-9")
        CookieScheme(backend: try breathesafe(), clock: TestClock(noon)).authorize(&request, with: credentials)
        let response = try await transport.send(request)
        #expect(bearer.profile.errors.words(of: response) == "No (hidden), no (hidden), no (hidden).")
        await transport.shutdown()
        try await server.close()
    }

    @Test func unsendableHeaderIsAProfileError() async throws {
        let transport = try HTTPTransport()
        let request = OutboundRequest(method: "GET", url: "http://127.0.0.1:1/", headers: [HeaderField("Authorization", "Bearer a\nb")])
        let error = await failure { () throws(TransportError) in try await transport.send(request) }
        #expect(error?.failure.reason == .profile, "\(String(describing: error))")
        await transport.shutdown()
    }
}
