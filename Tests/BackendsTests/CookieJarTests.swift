import Foundation
import Testing

@testable import Backends

struct CookieJarTests {
    private func jar(_ answers: [[HeaderField]]) -> CookieJar {
        var jar = CookieJar()
        for headers in answers { _ = jar.absorb(InboundResponse(status: 200, headers: headers)) }
        return jar
    }

    @Test func theNewestValueIsSent() {
        let jar = jar([
            [HeaderField("set-cookie", "_s=1; path=/; HttpOnly"), HeaderField("Set-Cookie", "b=2")],
            [HeaderField("Set-Cookie", "_s=3; path=/")],
        ])
        #expect(jar.header(path: "/users") == "_s=3; b=2")
    }

    @Test(arguments: [
        "_s=; Max-Age=0", "_s=x; max-age=-1", "_s=; path=/; expires=Sun, 06 Nov 1994 08:49:36 GMT",
        "_s=; expires=Thu, 01 Jan 1970 00:00:00 GMT",
    ])
    func theServerDeletes(header: String) {
        let date = HeaderField("Date", "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(jar([[HeaderField("Set-Cookie", "_s=1")], [date, HeaderField("Set-Cookie", header)]]).isEmpty)
    }

    @Test func anExpiryInTheServersFutureDeletesNothingWhateverOurClockSays() {
        let date = HeaderField("Date", "Sun, 06 Nov 1994 08:49:37 GMT")
        let jar = jar([[date, HeaderField("Set-Cookie", "_s=1; expires=Sun, 20 Nov 1994 08:49:37 GMT")]])
        #expect(jar.header(path: "/") == "_s=1")
    }

    @Test func withoutTheServersDateOnlyLongAgoDeletes() {
        #expect(jar([[HeaderField("Set-Cookie", "_s=1; expires=Sun, 06 Nov 1994 08:49:37 GMT")]]).header(path: "/") == "_s=1")
        #expect(
            jar([[HeaderField("Set-Cookie", "_s=1")], [HeaderField("Set-Cookie", "_s=; expires=Thu, 01 Jan 1970 00:00:00 GMT")]]).isEmpty)
    }

    @Test(arguments: [("/a", true), ("/a/b", true), ("/ab", false), ("/", false)])
    func aPathLimitsWhereACookieGoes(path: String, isSent: Bool) {
        #expect((jar([[HeaderField("Set-Cookie", "_s=1; path=/a")]]).header(path: path) != nil) == isSent)
    }

    @Test func nothingNewIsNoChange() {
        var jar = CookieJar()
        let response = InboundResponse(status: 200, headers: [HeaderField("Set-Cookie", "_s=1")])
        let changes = [jar.absorb(response), jar.absorb(response)]
        #expect(changes == [true, false])
    }

    @Test func noDescriptionShowsAValue() {
        let jar = jar([[HeaderField("Set-Cookie", "_s=hunter2")]])
        var dumped = ""
        dump(jar, to: &dumped)
        #expect(!"\(jar) \(String(reflecting: jar)) \(dumped)".contains("hunter2"))
    }
}
