import HTTPTypes
import Testing

@testable import Dashboard

@Suite struct DoorkeeperTests {
    private let keys = Keys()
    private var doorkeeper: Doorkeeper { Doorkeeper(keys: keys, port: 4711) }

    private func visit(
        _ method: HTTPRequest.Method = .get, _ path: String = "", host: String? = "127.0.0.1:4711", cookie: Bool = true,
        _ fields: [String: String] = [:]
    ) -> Visit {
        var head = HTTPRequest(method: method, scheme: "http", authority: host, path: "/\(keys.place)/\(path)")
        if cookie { head.headerFields[.cookie] = "other=1; homing=\(keys.session)" }
        for (name, value) in fields { if let name = HTTPField.Name(name) { head.headerFields[name] = value } }
        return Visit(head)
    }

    private func post(_ fields: [String: String] = [:]) -> Visit {
        let usual = [
            "Origin": "http://127.0.0.1:4711", "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin",
        ]
        return visit(.post, "sync", usual.merging(fields) { $1 })
    }

    @Test func admitsItsOwnPages() {
        #expect(doorkeeper.admit(visit()) == .admitted)
        #expect(doorkeeper.admit(visit(.get, "queue?state=dead", ["Sec-Fetch-Site": "same-origin"])) == .admitted)
        #expect(doorkeeper.admit(visit(.get, "", ["Sec-Fetch-Site": "none"])) == .admitted)
        #expect(doorkeeper.admit(post()) == .admitted)
    }

    @Test func tokenOpensOneSession() {
        let doorkeeper = doorkeeper
        let first = visit(.get, "?token=\(keys.token)", cookie: false)
        #expect(doorkeeper.admit(visit(.get, "?token=wrong", cookie: false)) == .refused(.session))
        // A file that opens the browser is another site.
        var opening = first
        opening.fetchSite = "cross-site"
        #expect(doorkeeper.admit(opening) == .opened)
        #expect(doorkeeper.admit(first) == .refused(.session))
        #expect(doorkeeper.admit(visit(.get, "queue?token=\(keys.token)", cookie: false)) == .refused(.session))
        // The same browser reads the address again.
        #expect(doorkeeper.admit(visit(.get, "?token=\(keys.token)")) == .opened)
    }

    @Test func cookieIsForThisPlaceAlone() {
        let cookie = doorkeeper.setCookie
        #expect(cookie == "homing=\(keys.session); Path=/\(keys.place)/; HttpOnly; SameSite=Strict")
        #expect(!keys.place.contains(keys.session) && keys.token != keys.session && keys.session.count == 43)
    }

    @Test func refusesWithoutSession() {
        #expect(doorkeeper.admit(visit(cookie: false)) == .refused(.session))
        #expect(doorkeeper.admit(visit(.get, "style.css", cookie: false)) == .refused(.session))
        var guessed = visit()
        guessed.cookies["homing"] = (keys.session.first == "x" ? "y" : "x") + keys.session.dropFirst()
        #expect(doorkeeper.admit(guessed) == .refused(.session))
        guessed.cookies["homing"] = ""
        #expect(doorkeeper.admit(guessed) == .refused(.session))
        var elsewhere = visit()
        elsewhere.place = "queue"
        #expect(doorkeeper.admit(elsewhere) == .refused(.path))
    }

    @Test(arguments: [
        nil, "", "localhost:4711", "127.0.0.1", "127.0.0.1:4712", "evil.example:4711", "127.0.0.1:4711.evil.example", "[::1]:4711",
    ])
    func refusesOtherHosts(host: String?) {
        let doorkeeper = doorkeeper
        #expect(doorkeeper.admit(visit(host: host)) == .refused(.host))
        // The token is not spent by a rebound name.
        #expect(doorkeeper.admit(visit(.get, "?token=\(keys.token)", host: host, cookie: false)) == .refused(.host))
        #expect(doorkeeper.admit(visit(.get, "?token=\(keys.token)", cookie: false)) == .opened)
    }

    @Test(arguments: ["cross-site", "same-site", "unheard-of"]) func refusesRequestsOfOtherSites(site: String) {
        #expect(doorkeeper.admit(visit(.get, "", ["Sec-Fetch-Site": site])) == .refused(.site))
        #expect(doorkeeper.admit(post(["Sec-Fetch-Site": site])) == .refused(.site))
    }

    @Test(arguments: [
        "null", "", "http://127.0.0.1", "http://127.0.0.1:4712", "https://127.0.0.1:4711", "http://localhost:4711", "http://evil.example",
    ])
    func refusesOtherOrigins(origin: String) {
        #expect(doorkeeper.admit(post(["Origin": origin])) == .refused(.site))
        #expect(doorkeeper.admit(visit(.get, "", ["Origin": origin])) == .refused(.site))
    }

    @Test func changesNeedAnOriginAndAForm() {
        let type = "application/x-www-form-urlencoded"
        #expect(doorkeeper.admit(visit(.post, "sync", ["Content-Type": type])) == .refused(.site))
        for type in ["text/plain", "application/json", "multipart/form-data; boundary=x", ""] {
            #expect(doorkeeper.admit(post(["Content-Type": type])) == .refused(.site))
        }
        #expect(doorkeeper.accepts(form: ["form": keys.form]))
        for form in [[:], ["form": ""], ["form": "x"], ["form": keys.session]] { #expect(!doorkeeper.accepts(form: form)) }
    }

    @Test(arguments: [HTTPRequest.Method.put, .delete, .options, .trace, .patch, .connect]) func refusesOtherMethods(
        method: HTTPRequest.Method
    ) {
        #expect(doorkeeper.admit(visit(method)) == .refused(.method))
    }

    @Test func refusesOverlongAddresses() {
        let longest = Doorkeeper.longestAddress - "/\(keys.place)/".utf8.count
        #expect(doorkeeper.admit(visit(.get, String(repeating: "x", count: longest))) == .admitted)
        #expect(doorkeeper.admit(visit(.get, String(repeating: "x", count: longest + 1))) == .refused(.address))
        #expect(doorkeeper.admit(visit(.get, "?find=" + String(repeating: "x", count: longest))) == .refused(.address))
    }

    @Test func readsFormsAndPaths() {
        #expect(Visit.fields("a=1+2&b=%C3%A4%26&c&a=9&=x") == ["a": "1 2", "b": "ä&", "c": "", "": "x"])
        let visit = visit(.get, "entry/a%2Fb/face?find=O%27Neil+B&x")
        #expect(visit.path == ["entry", "a/b", "face"] && visit.query == ["find": "O'Neil B", "x": ""])
        #expect(Visit.encoded("a/b?c&d=e+f ä") == "a%2Fb%3Fc%26d%3De%2Bf%20%C3%A4")
    }
}
