import ControlAPI
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Answers the requests that the doorkeeper admits, with what the daemon says to the person who started the dashboard.
struct Site: Sendable {
    let doorkeeper: Doorkeeper
    let client: ControlClient
    let usage: Usage
    let rights: Rights

    /// - Parameter onAdmission: runs before the daemon is asked.
    func respond(to request: Request, onAdmission: () -> Void = {}) async -> Response {
        var visit = Visit(request.head)
        let words = visit.cookies[Self.language].flatMap(Catalogue.named) ?? Catalogue.preferred(visit.languages)
        switch doorkeeper.admit(visit) {
        case .refused(let refusal): return .refusal(words.refusal(refusal), status: refusal.status)
        case .opened:
            onAdmission()
            return opened(words)
        case .admitted: onAdmission()
        }
        usage.touch()
        let desk = Desk(words: words, keys: doorkeeper.keys, access: rights.access)
        guard visit.method == "POST" else { return await shown(visit, request.body, desk) }
        // An unreadable or overlong body has no key either.
        let body = try? await request.body.collect(upTo: Self.largestForm)
        visit.form = Visit.fields(String(buffer: body ?? ByteBuffer()))
        guard doorkeeper.accepts(form: visit.form) else {
            return .refusal(words.refusal(.form), status: Doorkeeper.Refusal.form.status)
        }
        return await acted(visit, referer: request.headers[.referer], desk)
    }

    /// In bytes.
    private static let largestForm = 64 << 10
    private static let language = "language"

    /// A page leads on, not a redirect: after one that another site began, browsers do not send a strict cookie.
    private func opened(_ words: Catalogue) -> Response {
        let root = "/\(doorkeeper.keys.place)/"
        var response = Response.page(
            """
            <!doctype html>
            <html lang="\(words.language)"><head><meta charset="utf-8"><title>Homing</title><meta http-equiv="refresh" content="0;url=\(root)"></head>\
            <body><p><a href="\(root)">Homing</a></p></body></html>
            """)
        response.headers[.setCookie] = doorkeeper.setCookie
        // Otherwise scripts of the next page could read the token in the address of this one.
        if let policy = HTTPField.Name("Referrer-Policy") { response.headers[policy] = "no-referrer" }
        return response
    }

    private func shown(_ visit: Visit, _ body: RequestBody, _ desk: Desk) async -> Response {
        if let asset = Asset.named(visit.path) { return .asset(asset) }
        switch visit.path {
        case ["events"]:
            let live = Live(client: client, usage: usage, run: doorkeeper.keys.run)
            return .stream { writer in
                // Ends at once when the browser leaves, and with it the connection to the daemon.
                try await body.consumeWithCancellationOnInboundClose { _ in try await live.run(writer) }
            }
        case let path where path.count == 2 && path[0] == "language":
            guard Catalogue.named(path[1]) != nil else { break }
            return .redirect(desk.link(), cookie: "\(Self.language)=\(path[1]); Path=/\(doorkeeper.keys.place)/; HttpOnly; SameSite=Strict")
        default: break
        }
        let page: Page
        do throws(Problem) {
            page = try await Reading(client: client, desk: desk).page(visit) ?? desk.notFound
        } catch {
            page = refused(error, visit, desk)
        }
        let notice = visit.query["did"].flatMap { desk.words.known("did.\($0)") }
        return .page(desk.document(page, notice: notice), status: page.status)
    }

    private func refused(_ problem: Problem, _ visit: Visit, _ desk: Desk) -> Page {
        if problem.code == .notPermitted { rights.refuse(visit.path, isButton: visit.method == "POST") }
        return desk.page(problem)
    }

    private func acted(_ visit: Visit, referer: String?, _ desk: Desk) async -> Response {
        var page: Page
        do throws(Problem) {
            switch try await Acting(client: client, desk: desk).outcome(of: visit) {
            case .done(let did, let path): return .redirect(address(path, did: did, referer: referer, desk))
            case .page(let answer): page = answer
            case nil: page = desk.notFound
            }
        } catch {
            page = refused(error, visit, desk)
        }
        // Its address is that of the button.
        page.isLive = false
        return .page(desk.document(page), status: page.status)
    }

    /// The given path, or else the page with the button.
    private func address(_ path: [String]?, did: String, referer: String?, _ desk: Desk) -> String {
        if let path { return desk.link(path, query: ["did": did]) }
        let own = "http://\(doorkeeper.authority)"
        guard let referer, referer.hasPrefix("\(own)\(desk.root)/"), let url = URLComponents(string: referer) else {
            return desk.link([], query: ["did": did])
        }
        let kept = (url.queryItems ?? []).filter { $0.name != "did" } + [URLQueryItem(name: "did", value: did)]
        let fields = kept.map { "\(Visit.encoded($0.name))=\(Visit.encoded($0.value ?? ""))" }.joined(separator: "&")
        return "\(url.percentEncodedPath)?\(fields)"
    }
}
