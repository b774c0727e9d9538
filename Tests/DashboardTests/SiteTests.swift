import ControlAPI
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import Testing

@testable import Dashboard

/// The whole answer, without a daemon.
@Suite struct SiteTests {
    private let keys = Keys()
    private var site: Site {
        Site(
            doorkeeper: Doorkeeper(keys: keys, port: 4711), client: ControlClient(socketPath: "/nonexistent/homing.sock"), usage: Usage(),
            rights: Rights())
    }

    private func request(_ method: HTTPRequest.Method, _ path: String, cookie: Bool = true, body: String = "", languages: String? = nil)
        -> Request
    {
        var head = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:4711", path: "/\(keys.place)/\(path)")
        if cookie { head.headerFields[.cookie] = "homing=\(keys.session)" }
        head.headerFields[.acceptLanguage] = languages
        if method == .post {
            head.headerFields[.origin] = "http://127.0.0.1:4711"
            head.headerFields[.contentType] = "application/x-www-form-urlencoded"
        }
        return Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
    }

    private func text(_ response: Response) async throws -> String {
        let collector = Collector()
        try await response.body.write(collector)
        return String(buffer: collector.buffer)
    }

    private final class Collector: ResponseBodyWriter {
        var buffer = ByteBuffer()
        func write(_ buffer: ByteBuffer) async throws { self.buffer.writeImmutableBuffer(buffer) }
        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    @Test(arguments: ["", "queue", "style.css", "page.js", "icon.svg", "nowhere", "?token=x"], [true, false])
    func everyAnswerHasThePolicy(path: String, cookie: Bool) async throws {
        let headers = await site.respond(to: request(.get, path, cookie: cookie)).headers
        let policy = try #require(headers[HTTPField.Name("Content-Security-Policy")!])
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe") && !policy.contains("http") && !policy.contains("*") && !policy.contains("data:"))
        #expect(headers[.cacheControl] == "no-store" && headers[HTTPField.Name("X-Content-Type-Options")!] == "nosniff")
        // With ‘no-referrer’, browsers would send forms with the origin ‘null’.
        #expect(headers[HTTPField.Name("Referrer-Policy")!] == "same-origin")
    }

    /// A copy for each request would cost more than the answer.
    @Test(arguments: ["style.css", "page.js", "icon.svg"]) func answersShareTheBytesOfAFile(name: String) async throws {
        let file = try #require(Asset.named([name]))
        let collector = Collector()
        let answer = await site.respond(to: request(.get, name))
        try await answer.body.write(collector)
        #expect(file.body.readableBytes > 0 && collector.buffer == file.body)
        func place(_ asset: Asset) -> UInt { asset.body.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) } }
        let again = try #require(Asset.named([name]))
        #expect(place(again) == place(file))
        #expect(Asset.named(["static", name]) == nil && Asset.named([]) == nil)
    }

    @Test func tokenBecomesACookieAndLeavesTheAddress() async throws {
        let site = site
        let opened = await site.respond(to: request(.get, "?token=\(keys.token)", cookie: false))
        #expect(opened.status == .ok && opened.headers[.setCookie]?.contains("homing=\(keys.session); ") == true)
        #expect(opened.headers[HTTPField.Name("Referrer-Policy")!] == "no-referrer")
        let page = try await text(opened)
        #expect(page.contains("content=\"0;url=/\(keys.place)/\"") && !page.contains(keys.token) && !page.contains(keys.session))
        let again = await site.respond(to: request(.get, "?token=\(keys.token)", cookie: false))
        #expect(again.status == .forbidden && again.headers[.setCookie] == nil)
        let refusal = try await text(again)
        #expect(refusal.contains("homing dashboard") && !refusal.contains(keys.place))
    }

    @Test func refusalEndsTheConnection() async {
        var admitted = 0
        let refused = await site.respond(to: request(.get, "", cookie: false)) { admitted += 1 }
        #expect(refused.headers[.connection] == "close" && admitted == 0)
        let shown = await site.respond(to: request(.get, "style.css")) { admitted += 1 }
        #expect(shown.headers[.connection] == nil && admitted == 1)
    }

    @Test func withoutDaemonThePageSaysSo() async throws {
        let response = await site.respond(to: request(.get, ""))
        let page = try await text(response)
        #expect(response.status == .serviceUnavailable && page.contains("Homing is not running") && page.contains("data-events="))
    }

    @Test func pagesProveTheirRunAndRefusalsDoNot() async throws {
        let proof = "<html lang=\"en\" data-run=\"\(keys.run)\""
        for path in ["", "queue", "accounts/sign-in", "nowhere"] {
            #expect(try await text(await site.respond(to: request(.get, path))).contains(proof))
        }
        for refused in [request(.get, "", cookie: false), request(.post, "sync")] {
            #expect(try await !text(await site.respond(to: refused)).contains(keys.run))
        }
        #expect(keys.run != Keys().run && ![keys.place, keys.token, keys.session, keys.form].contains(keys.run))
    }

    @Test func unknownButtonIsNotLive() async throws {
        let response = await site.respond(to: request(.post, "nowhere", body: "form=\(keys.form)"))
        #expect(response.status == .notFound)
        #expect(try await !text(response).contains("data-events"))
    }

    @Test func changesNeedTheKeyOfTheForm() async throws {
        let without = await site.respond(to: request(.post, "sync", body: "backend=b"))
        #expect(without.status == .forbidden)
        let wrong = await site.respond(to: request(.post, "sync", body: "form=\(keys.session)"))
        #expect(wrong.status == .forbidden)
        let long = await site.respond(to: request(.post, "sync", body: "form=\(keys.form)&x=" + String(repeating: "x", count: 70_000)))
        #expect(long.status == .forbidden)
        let right = await site.respond(to: request(.post, "sync", body: "form=\(keys.form)"))
        #expect(right.status == .serviceUnavailable)
        // A change has an address that a reload must not read.
        #expect(try await !text(right).contains("data-events"))
    }

    @Test func pagesHaveNoSecretsButTheKeyOfTheirForms() async throws {
        for page in try await Sample().pages(Sample.desk()) {
            let source = Sample.desk().document(page).source
            #expect(!source.contains(Sample.keys.token) && !source.contains(Sample.keys.session))
            #expect(source.matches(of: /<form [^>]*method="post"/).count == source.components(separatedBy: Sample.keys.form).count - 1)
        }
    }

    @Test func speaksTheLanguageOfTheBrowser() async throws {
        let page = try await text(await site.respond(to: request(.get, "", languages: "vi-VN,vi;q=0.9,en;q=0.8")))
        #expect(page.contains("lang=\"vi\"") && page.contains("Homing không chạy"))
        let chosen = await site.respond(to: request(.get, "language/vi"))
        #expect(chosen.status == .seeOther && chosen.headers[.setCookie]?.hasPrefix("language=vi; Path=/\(keys.place)/;") == true)
        #expect(await site.respond(to: request(.get, "language/tlh")).status == .notFound)
    }
}
