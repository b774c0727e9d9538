import SyncModel

extension AuthRules {
    /// Reads the table `auth`; mistakes go to its log.
    init?(_ table: StrictTable, defaults: RequestDefaults) {
        let expected = "cookie (scheme bearer is not supported by this version)"
        guard let scheme = table.read("scheme", required: true, expected: expected, { $0.text.flatMap(SchemeName.init) }) else {
            return nil
        }
        let renewal = table.list("on_401", expected: "login, or nothing: a cookie session has no refresh") {
            $0.text == "login" ? true : nil
        }
        let csrf = table.table("csrf").flatMap { CSRFRules($0, defaults: defaults) }
        let login = table.table("login", required: true).flatMap { LoginRules($0, defaults: defaults) }
        let logout = table.table("logout").map { LogoutRules($0, defaults: defaults) }
        table.close()
        guard let login else { return nil }
        self.scheme = scheme
        self.csrf = csrf
        self.login = login
        self.logout = logout ?? LogoutRules(request: nil, requestForAll: nil, keepsOnFailure: false, outbox: .hold)
        renewsByLogin = renewal?.isEmpty == false
    }
}

extension AuthRules.CSRFRules {
    fileprivate init?(_ table: StrictTable, defaults: RequestDefaults) {
        defer { table.close() }
        let request = RequestTemplate(table, [], scope: defaults.scope, defaults: defaults)
        let token = table.pointer("token", required: true)
        let header = table.read("header", required: true, expected: "a header name") { node in
            node.text.flatMap { name in
                !name.isEmpty && name.utf8.allSatisfy { RequestTemplate.HeaderTemplate.nameBytes.contains($0) } ? name : nil
            }
        }
        guard let request, let token, let header else { return nil }
        self.init(request: request, token: token, header: header)
    }
}

extension AuthRules.LoginRules {
    fileprivate init?(_ table: StrictTable, defaults: RequestDefaults) {
        defer { table.close() }
        let request = RequestTemplate(
            table, [.json, .form, .headers, .timeout], scope: defaults.scope.adding("email", "password"), defaults: defaults)
        let account = table.pointers("account", required: true)
        let email = table.pointers("email")
        guard let request, !account.isEmpty else { return nil }
        self.init(request: request, account: account, email: email)
    }
}

extension AuthRules.LogoutRules {
    fileprivate init(_ table: StrictTable, defaults: RequestDefaults) {
        defer { table.close() }
        keepsOnFailure = table.choice("on_failure", as: OnFailure.self) == .keep
        outbox = table.choice("outbox") ?? .hold
        let forAll = RequestTemplate.json("json_all", in: table, scope: defaults.scope)
        // Without `request` the server is not told, and none of the keys that shape one has a meaning.
        guard table.keys.contains("request") else {
            (request, requestForAll) = (nil, nil)
            if forAll != nil { table.reject("json_all", expected: "request beside it") }
            return
        }
        let one = RequestTemplate(table, [.json, .form, .headers, .timeout], scope: defaults.scope, defaults: defaults)
        var all = forAll == nil ? nil : one
        all?.body = forAll.map { .json($0) }
        (request, requestForAll) = (one, all)
    }

    private enum OnFailure: String, CaseIterable { case clear, keep }
}
