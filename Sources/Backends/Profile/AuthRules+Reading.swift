import Foundation
import JSON
import SyncModel

extension AuthRules {
    init?(_ table: StrictTable, defaults: RequestDefaults) {
        guard let scheme = table.read("scheme", { $0.text.flatMap(SchemeName.init) }) else { return nil }
        let ways: [WayBack] = scheme == .cookie ? [.login] : [.refresh, .login]
        let renewals = table.list("on_401", expected: Self.expected(ways)) { node in
            node.text.flatMap(WayBack.init).flatMap { ways.contains($0) ? $0 : nil }
        }
        if let renewals, Set(renewals).count < renewals.count {
            table.reject("on_401", expected: "each step only once", found: "a step twice")
        }
        let isBearer = scheme == .bearer
        let placement = isBearer ? Self.placement(table) : .header
        let skew = isBearer ? table.seconds("skew") : nil
        let lifetime = isBearer ? table.seconds("lifetime") : nil
        let keepalive = isBearer ? table.seconds("keepalive") : nil
        let csrf = isBearer ? nil : table.table("csrf").flatMap { CSRFRules($0, defaults: defaults) }
        let login = table.table("login", required: !isBearer).flatMap { LoginRules($0, defaults: defaults, hasTokens: isBearer) }
        let refresh = isBearer ? table.table("refresh").flatMap { RefreshRules($0, defaults: defaults) } : nil
        let logout = table.table("logout").map { LogoutRules($0, defaults: defaults, hasTokens: isBearer) }
        for way in renewals ?? [] {
            if way == .refresh, !table.keys.contains("refresh") {
                table.reject("on_401", expected: "the table auth.refresh, which the step refresh needs")
            }
            if way == .login, !table.keys.contains("login") {
                table.reject("on_401", expected: "the table auth.login, which the step login needs")
            }
        }
        let means = isBearer ? table.choice("sign_in", as: SignInMeans.self) : nil
        switch means {
        case .password where !table.keys.contains("login"):
            table.reject("sign_in", expected: "the table auth.login, which password needs")
        case .refreshToken where !table.keys.contains("refresh"):
            table.reject("sign_in", expected: "the table auth.refresh, which refresh_token needs")
        case .token where table.keys.contains("login") || table.keys.contains("refresh"):
            table.reject("sign_in", expected: "password or refresh_token: token is only for profiles without login and refresh")
        default: break
        }
        table.close()
        guard isBearer || login != nil else { return nil }
        self.scheme = scheme
        self.means = means ?? (login != nil ? .password : refresh != nil ? .refreshToken : .token)
        self.placement = placement
        // First ask the health route whether a cookie session has ended.
        self.renewals = (isBearer ? [] : [.refresh]) + (renewals ?? [])
        self.skew = skew?.seconds ?? 60
        self.lifetime = lifetime?.seconds
        self.keepalive = keepalive?.seconds
        self.csrf = csrf
        self.login = login
        self.refresh = refresh
        self.logout = logout ?? LogoutRules(request: nil, requestForAll: nil, keepsOnFailure: false, retriesOwed: false, outbox: .hold)
    }

    /// The words for `on_401`.
    static func expected(_ ways: [WayBack]) -> String {
        "\(ways.map(\.rawValue).joined(separator: " or ")), or an empty list if only a person can sign in again"
    }

    private static func placement(_ table: StrictTable) -> TokenPlacement {
        table.read("placement") { node in
            guard let text = node.text else { return nil }
            if text == "bearer" { return .header }
            let name = text.dropFirst("query:".count)
            let isName = !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) }
            return text.hasPrefix("query:") && isName ? .query(String(name)) : nil
        } ?? .header
    }
}

extension AuthRules.CSRFRules {
    fileprivate init?(_ table: StrictTable, defaults: RequestDefaults) {
        defer { table.close() }
        let request = RequestTemplate(table, [], scope: defaults.scope, defaults: defaults)
        let token = table.pointer("token")
        let header = table.headerName("header")
        guard let request, let token, let header else { return nil }
        self.init(request: request, token: token, header: header)
    }
}

extension AuthRules {
    /// Reports a missing secret only without other mistakes, which could be its cause.
    fileprivate static func request(
        _ table: StrictTable, of scope: TemplateScope, carrying secret: String, _ defaults: RequestDefaults
    ) -> RequestTemplate? {
        let mistakesBefore = table.mistakes.all.count
        let request = RequestTemplate(table, [.json, .form, .headers, .timeout], scope: scope, defaults: defaults)
        if let request, table.mistakes.all.count == mistakesBefore, !request.placeholders.contains(where: { $0.name == secret }) {
            table.reject("request", expected: "{\(secret)} in a header or in the body")
        }
        return request
    }
}

extension AuthRules.LoginRules {
    fileprivate init?(_ table: StrictTable, defaults: RequestDefaults, hasTokens: Bool) {
        defer { table.close() }
        let request = AuthRules.request(table, of: defaults.scope.adding("email", "password"), carrying: "password", defaults)
        let tokens = hasTokens ? AuthRules.TokenRules(table) : nil
        let account = table.pointers("account")
        let email = table.pointers("email")
        let secondFactor = hasTokens ? table.pointers("second_factor") : []
        guard let request, !account.isEmpty, tokens != nil || !hasTokens else { return nil }
        self.init(request: request, tokens: tokens, account: account, email: email, secondFactor: secondFactor)
    }
}

extension AuthRules.RefreshRules {
    fileprivate init?(_ table: StrictTable, defaults: RequestDefaults) {
        defer { table.close() }
        let request = AuthRules.request(table, of: defaults.scope.adding("refresh", "access"), carrying: "refresh", defaults)
        let tokens = AuthRules.TokenRules(table)
        let account = table.pointers("account")
        guard let request, let tokens else { return nil }
        self.init(request: request, tokens: tokens, account: account)
    }
}

extension AuthRules.TokenRules {
    fileprivate init?(_ table: StrictTable) {
        access = table.pointers("access", required: true)
        refresh = table.pointers("refresh")
        expiresIn = table.pointers("expires_in")
        if access.isEmpty { return nil }
    }
}

extension AuthRules.LogoutRules {
    fileprivate init(_ table: StrictTable, defaults: RequestDefaults, hasTokens: Bool) {
        defer { table.close() }
        keepsOnFailure = table.choice("on_failure", as: OnFailure.self) == .keep
        retriesOwed = table.choice("owed", as: Owed.self) == .retry
        if retriesOwed, keepsOnFailure || !table.keys.contains("request") {
            table.reject("owed", expected: "the key request in the same table, and on_failure: clear")
        }
        outbox = table.choice("outbox") ?? .hold
        let scope = hasTokens ? defaults.scope.adding("refresh", "access") : defaults.scope
        let forAll = RequestTemplate.json("json_all", in: table, scope: scope)
        guard table.keys.contains("request") else {
            (request, requestForAll) = (nil, nil)
            if forAll != nil { table.reject("json_all", expected: "the key request in the same table") }
            return
        }
        let one = RequestTemplate(table, [.json, .form, .headers, .timeout], scope: scope, defaults: defaults)
        var all = forAll == nil ? nil : one
        all?.body = forAll.map { .json($0) }
        (request, requestForAll) = (one, all)
    }

    enum OnFailure: String, CaseIterable { case clear, keep }
    enum Owed: String, CaseIterable { case retry }
}
