import Foundation
import Testing

@testable import Backends

struct ProxyRulesTests {
    private func goes(_ url: String, except exceptions: [String]) -> Bool {
        ProxyRules(proxy: Proxy("http://proxy.test:3128"), exceptions: exceptions).proxy(for: URLComponents(string: url)) != nil
    }

    @Test(
        arguments: [
            ("https://api.lab.test/x", [], true), ("https://api.lab.test/x", ["lab.test"], false),
            ("https://api.lab.test", [".lab.test"], false),
            ("https://lab.test", ["*.lab.test"], false), ("https://notlab.test", ["lab.test"], true),
            ("https://LAB.test", ["lab.TEST"], false),
            ("https://lab.test:8443", ["lab.test:8443"], false), ("https://lab.test", ["lab.test:8443"], true),
            ("https://10.0.0.5", ["10.0.0.5"], false), ("https://[::1]:8", ["::1"], false), ("https://lab.test", ["*"], false),
            ("https://lab.test", [""], true), ("http://lab.test", [], false),
        ] as [(String, [String], Bool)])
    func sendsHTTPSThroughProxyUnlessExcepted(url: String, exceptions: [String], isProxied: Bool) {
        #expect(goes(url, except: exceptions) == isProxied)
    }

    @Test func readsTheVariablesThatCurlReads() throws {
        let rules = try ProxyRules(environment: ["HTTPS_PROXY": "http://p.test:1", "no_proxy": "a.test, b.test"])
        #expect(rules.proxy?.description == "p.test:1" && rules.exceptions == ["a.test", "b.test"])
        #expect(
            try ProxyRules(environment: ["HTTPS_PROXY": "http://p.test:1", "https_proxy": "q.test:2"]).proxy?.description == "q.test:2")
        #expect(try ProxyRules(environment: ["HTTPS_PROXY": "", "HTTP_PROXY": "http://p.test:1"]).proxy == nil)
        let error = #expect(throws: ProxyRules.BadVariable.self) { try ProxyRules(environment: ["https_proxy": "socks5://p.test"]) }
        #expect(error?.name == "https_proxy")
    }

    @Test(arguments: ["ftp://p.test", "http://", "http://p.test:0", "http://p.test/path", "http://p test"])
    func refusesInvalidProxyAddress(text: String) { #expect(Proxy(text) == nil) }

    @Test func showsNeitherUserNorPassword() throws {
        let proxy = try #require(Proxy("http://ann:hunter%202@p.test:3128"))
        #expect(proxy.user == "ann" && proxy.password?.revealed == "hunter 2")
        var dumped = ""
        dump(proxy, to: &dumped)
        #expect(!"\(proxy) \(String(reflecting: proxy)) \(dumped)".contains("hunter"))
    }
}
