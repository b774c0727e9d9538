import Foundation
import Testing

@testable import Backends
@testable import Sessions

struct TokensTests {
    @Test(arguments: [#""3600""#, "3600", "3600.0", "3.6e3"]) func readsSecondsAsNumberOrText(text: String) throws {
        #expect(try lifetime(#"{"expires_in":\#(text)}"#) == 3600)
    }

    @Test(arguments: [
        #""Infinity""#, #""-inf""#, #""nan""#, #""1e999""#, "1e308", "-5", "0", "null", "true", "[]", #""0x1p2000""#,
    ])
    func ignoresImpossibleLifetimes(text: String) throws {
        #expect(try lifetime(#"{"expires_in":\#(text)}"#) == 600)
        #expect(try lifetime("{}", claims: #"{"iat":1000,"exp":\#(text)}"#) == 600)
    }

    @Test func measuresExpiryAgainstServerClock() throws {
        #expect(try lifetime("{}", claims: #"{"exp":784111837}"#) == 60)
    }

    private func lifetime(_ body: String, claims: String? = nil) throws -> TimeInterval? {
        let rules = try #require(try load(["tok.yaml": TokenBench.profile])[0].profile.auth.login?.tokens)
        let token = claims.map { "h.\(Data($0.utf8).base64EncodedString()).s" } ?? "opaque"
        let text = #"{"access":"\#(token)","# + body.dropFirst().replacing(/^}/, with: #""a":1}"#)
        let response = answer(200, text, HeaderField("Date", "Sun, 06 Nov 1994 08:49:37 GMT"))
        let tokens = try #require(rules.tokens(in: response, earlier: nil, fallback: 600, at: noon))
        _ = try JSONEncoder().encode(tokens)
        return tokens.lifetime
    }
}
