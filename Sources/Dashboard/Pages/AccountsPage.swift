import ControlAPI

/// The session at each backend, and the entries that wait for an account.
struct AccountsPage: Sendable {
    var status: Status

    func page(_ desk: Desk) -> Page {
        let title = desk.words["tab.accounts"]
        let cards = status.backends.map { card($0, desk) }
        return Page(title, tab: .accounts, "<h1>\(title)</h1><div id=\"accounts\" data-live>\(cards)</div>")
    }

    private func card(_ backend: BackendReport, _ desk: Desk) -> HTML {
        let words = desk.words
        let session = backend.session
        let who = HTML.outside(session.email ?? session.account ?? words["account.some"])
        var lines: [HTML] = []
        switch session.knownState {
        case .signedIn:
            lines.append("<p><b>\(who)</b> \(words["signed.in"])\(session.since.map { " · \(desk.time($0))" })</p>")
            if session.remembered { lines.append("<p class=\"faint\">\(words["password.kept"])</p>") }
        case .signInRequired: lines.append("<p><b>\(who)</b> \(words["session.ended"]) \(desk.ending(session.reason))</p>")
        case .signingOut: lines.append("<p><b>\(who)</b> \(words["signing.out"])</p>")
        case .signedOut, .unknown: lines.append("<p>\(words["signed.out"])</p>")
        }
        if let failure = desk.failing(session) { lines.append("<p class=\"next\">\(failure)</p>") }
        if session.isSignedIn, let reason = desk.gate(of: backend) { lines.append("<p class=\"next\">\(reason)</p>") }
        for other in backend.otherAccounts {
            lines.append("<p dir=\"auto\">\(words.count("waits.for", other.waiting, ["account": other.email]))</p>")
        }
        for owed in backend.owedSignOuts ?? [] { lines.append("<p class=\"faint\">\(desk.told(owed, at: backend.name))</p>") }
        let fields: KeyValuePairs<String, String> = ["backend": backend.name]
        let action =
            session.isSignedIn
            ? desk.go(words["sign.out"], desk.link(["accounts", "sign-out"], query: fields), .quiet, about: backend.name)
            : desk.go(words["sign.in"], desk.link(["accounts", "sign-in"], query: fields), about: backend.name)
        return """
            <section class="card"><h2>\(HTML.outside(backend.name)) <span class="faint">\(HTML.outside(backend.baseURL))</span></h2>\(lines)\
            <p>\(desk.counts(backend.queue))</p><div class="actions">\(desk.access >= .operate ? action : nil)</div></section>
            """
    }

    /// - Parameter problem: why the last try failed.
    static func signIn(_ backend: BackendReport, email: String? = nil, problem: Problem? = nil, _ desk: Desk) -> Page {
        let words = desk.words
        let title = words["sign.in.at", ["backend": backend.name]]
        let known = email ?? backend.awaited ?? ""
        let fields: HTML
        switch backend.session.knownSignInMeans {
        case .password, .unknown:
            fields = """
                <label for="email">\(words["email"])</label>\
                <input id="email" name="email" type="email" value="\(known)" required autocomplete="username">\
                <label for="password">\(words["password"])</label>\
                <input id="password" name="password" type="password" required autocomplete="current-password">\
                <p><input id="remember" name="remember" type="checkbox" value="yes"><label for="remember">\(words["remember"])</label></p>
                """
        case .refreshToken, .token:
            fields = """
                <label for="email">\(words["account.name"])</label>\
                <input id="email" name="email" value="\(known)" autocomplete="username">\
                <label for="password">\(words["token"])</label>\
                <input id="password" name="password" type="password" required autocomplete="off">
                """
        }
        return Page(
            title, tab: .accounts, status: problem?.status ?? 200, isLive: false,
            """
            <h1 dir="auto">\(title)</h1>\(problem.map { desk.explain($0) })
            <form class="card" method="post" action="\(desk.link("accounts", "sign-in"))">\(desk.key)\
            <input type="hidden" name="backend" value="\(backend.name)">\
            \(fields)<div class="actions"><button class="main">\(words["sign.in"])</button></div></form>
            """)
    }

    /// Confirms a sign-out: says how many waiting entries it keeps or discards.
    static func signOut(_ backend: BackendReport, _ desk: Desk) -> Page {
        let words = desk.words
        let who = backend.session.email ?? backend.session.account ?? words["account.some"]
        let title = words["sign.out.at", ["account": who, "backend": backend.name]]
        let doomed = backend.discardedBySigningOut ?? 0
        let own = max(0, backend.queue.waiting - backend.waitingForOthers)
        let fate =
            doomed > 0
            ? words.count("sign.out.discards", doomed, ["backend": backend.name])
            : own > 0 ? words.count("sign.out.keeps", own, ["account": who]) : words["sign.out.nothing"]
        return Page(
            title, tab: .accounts, isLive: false,
            """
            <h1 dir="auto">\(title)</h1>
            <form class="card" method="post" action="\(desk.link("accounts", "sign-out"))">\(desk.key)\
            <input type="hidden" name="backend" value="\(backend.name)"><input type="hidden" name="account" value="\(backend.session.account ?? "")">\
            <p dir="auto">\(fate)</p>\
            <p><input id="keep" name="keep" type="checkbox" value="yes"><label for="keep">\(words["keep.lists"])</label></p>\
            <div class="actions"><button class="\(doomed > 0 ? "grave" : "main")">\(words["sign.out"])</button>\
            \(desk.go(words["cancel"], desk.link("accounts"), .quiet))</div></form>
            """)
    }
}
