import Foundation
import Testing

@testable import Backends
@testable import Sessions

struct CookieJarTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    private func jar(_ fields: [String], from url: String = "https://lab.test/users/log_in", date: String? = date) -> CookieJar {
        var jar = CookieJar()
        for field in fields { absorb(field, into: &jar, from: url, date: date) }
        return jar
    }

    @discardableResult
    private func absorb(
        _ field: String, into jar: inout CookieJar, from url: String = "https://lab.test/users/log_in", date: String? = date,
        isSignIn: Bool = false
    ) -> Bool {
        let headers = [HeaderField("set-cookie", field)] + (date.map { [HeaderField("Date", $0)] } ?? [])
        return jar.absorb(
            InboundResponse(status: 200, headers: headers), to: OutboundRequest(method: "GET", url: url), at: noon, isSignIn: isSignIn)
    }

    private func sent(_ jar: CookieJar, to url: String = "https://lab.test/users", after seconds: TimeInterval = 0) -> String? {
        jar.header(for: url, at: noon.addingTimeInterval(seconds))
    }

    @Test func sendsTheNewestValueInTheOrderOfCreation() {
        #expect(sent(jar(["_s=1; path=/; HttpOnly", "b=2; Path=/", "_s=3; path=/"])) == "_s=3; b=2")
        #expect(sent(jar(["a=1; path=/", "b=2; path=/users"])) == "b=2; a=1")
    }

    @Test(arguments: [
        "_s=; path=/; Max-Age=0", "_s=x; path=/; max-age=-1", "_s=; path=/; expires=Sun, 06 Nov 1994 08:49:36 GMT",
        "_s=; path=/; expires=Thu, 01-Jan-1970 00:00:00 GMT", "_s=; path=/; Max-Age=0; expires=Sun, 06 Nov 2094 08:49:36 GMT",
    ])
    func deletesCookieThatTheServerDeletes(field: String) {
        #expect(jar(["_s=1; path=/", field]).isEmpty)
    }

    @Test(
        arguments: [
            ("Max-Age=60", 60.0), ("Expires=Sun, 06 Nov 1994 08:50:37 GMT", 60), ("expires=Sunday, 06-Nov-94 08:50:37 GMT", 60),
            ("Max-Age=99999999999999999999", 400 * 86_400), ("Expires=Fri, 31 Dec 9999 23:59:59 GMT", 400 * 86_400),
            ("Max-Age=60; Expires=Sun, 20 Nov 1994 08:49:37 GMT", 60),
        ] as [(String, TimeInterval)])
    func expiresCookieRelativeToServerClock(attribute: String, seconds: TimeInterval) {
        let jar = jar(["_s=1; path=/; \(attribute)"])
        #expect(sent(jar, after: seconds - 1) == "_s=1")
        #expect(sent(jar, after: seconds) == nil)
    }

    @Test(arguments: ["Max-Age=", "Max-Age=1e9", "Max-Age=soon", "Expires=never", "Expires=Sun, 99 Nov 1994 08:49:37 GMT"])
    func keepsCookieWithUnreadableExpiry(attribute: String) {
        #expect(sent(jar(["_s=1; path=/; \(attribute)"]), after: 500 * 86_400) == "_s=1")
    }

    @Test(arguments: [("/a", true), ("/a/b", true), ("/ab", false), ("/", false)])
    func sendsACookieBelowItsPath(path: String, isSent: Bool) {
        #expect((sent(jar(["_s=1; path=/a"]), to: "https://lab.test\(path)") != nil) == isSent)
    }

    @Test(arguments: [
        ("https://lab.test/users/log_in", "/users"), ("https://lab.test/login", "/"), ("https://lab.test", "/"),
        ("https://lab.test/a/", "/a"),
    ])
    func defaultsPathToFolderOfRequest(url: String, path: String) {
        for field in ["_s=1", "_s=1; path=", "_s=1; path=users"] {
            #expect(sent(jar([field], from: url), to: "https://lab.test\(path)") == "_s=1")
            if path != "/" { #expect(sent(jar([field], from: url), to: "https://lab.test/") == nil) }
        }
    }

    @Test(arguments: [
        ("", true, false), ("; domain=api.lab.test", true, false), ("; domain=lab.test", true, true), ("; Domain=.lab.test", true, true),
        ("; domain=other.test", false, false), ("; domain=test", false, false), ("; domain=i.lab.test", false, false),
    ])
    func sendsACookieWithinItsDomain(attribute: String, goesBack: Bool, goesToSister: Bool) {
        let jar = jar(["_s=1; path=/\(attribute)"], from: "https://api.lab.test/login")
        #expect(jar.isEmpty == !goesBack)
        #expect((sent(jar, to: "https://api.lab.test/") != nil) == goesBack)
        #expect((sent(jar, to: "https://idp.lab.test/") != nil) == goesToSister)
        #expect(sent(jar, to: "https://evil.test/") == nil)
    }

    @Test func sendsSecureCookieOnlyOverTLSOrLoopback() {
        let jar = jar(["_s=1; path=/; domain=lab.test; Secure"], from: "https://api.lab.test/login")
        #expect(sent(jar, to: "https://api.lab.test/") == "_s=1")
        #expect(sent(jar, to: "http://api.lab.test/") == nil)
        #expect(sent(self.jar(["_s=1; path=/; Secure"], from: "http://lab.test/"), to: "https://lab.test/") == nil)
        #expect(sent(self.jar(["_s=1; path=/; Secure"], from: "http://127.0.0.1:1/"), to: "http://127.0.0.1:1/") == "_s=1")
    }

    @Test(arguments: ["_s=\(String(repeating: "x", count: 4095))", "=1", "no pair", "", "_s=a\u{1}b"])
    func ignoresInvalidCookies(field: String) { #expect(jar([field + "; path=/"]).isEmpty) }

    @Test func evictsOldestCookiesBeforeSignInCookies() {
        var jar = CookieJar()
        absorb("_s=1; path=/", into: &jar, isSignIn: true)
        for number in 1...200 { absorb("c\(number)=\(number); path=/", into: &jar) }
        let names = sent(jar)?.components(separatedBy: "; ").map { $0.prefix { $0 != "=" } } ?? []
        #expect(names.count == 50 && names.first == "_s" && names.last == "c200")
        for number in 1...60 { absorb("d\(number)=\(number); path=/", into: &jar, isSignIn: true) }
        #expect(sent(jar)?.contains("_s=") == false)
    }

    @Test func keepsTheHeaderBelowSixKilobytes() {
        var jar = CookieJar()
        absorb("_s=1; path=/", into: &jar, isSignIn: true)
        for number in 1...40 { absorb("c\(number)=\(String(repeating: "x", count: 1000)); path=/", into: &jar) }
        let header = sent(jar) ?? ""
        #expect(header.utf8.count <= 6 << 10 && header.hasPrefix("_s=1; ") && header.contains("c40="))
    }

    @Test func reportsNoChangeForSameCookie() {
        var jar = CookieJar()
        let changes = [absorb("_s=1; path=/", into: &jar), absorb("_s=1; path=/", into: &jar)]
        #expect(changes == [true, false])
    }

    @Test func showsNoValueInADescription() {
        let jar = jar(["_s=hunter2"])
        var dumped = ""
        dump(jar, to: &dumped)
        #expect(!"\(jar) \(String(reflecting: jar)) \(dumped)".contains("hunter2"))
    }
}
