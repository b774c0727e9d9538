extension AuthRules {
    static let keys: [DeclaredKey] = [
        session, tables, CSRFRules.keys, LoginRules.keys, RefreshRules.keys, LogoutRules.keys,
    ].flatMap(\.self)

    private static let session: [DeclaredKey] = [
        .key(
            "auth.scheme", "cookie or bearer", "bearer",
            "How requests carry the session: with the cookies of the server, or with a token (`bearer`)."
        ).required,
        .key(
            "auth.on_401", expected([.refresh, .login]), "[refresh]",
            """
            The ways to renew an ended session, in order; `refresh` needs the table `refresh` and `scheme: bearer`, and `login` needs \
            the table `login` and a kept password.
            """
        ).usually("`[]`"),
        .choice(
            "auth.sign_in", SignInMeans.self, "password",
            """
            The secret with which a person signs in: a password, a refresh token from a sign-in elsewhere, or a fixed token such as an API \
            key; only with `scheme: bearer`.
            """
        ).usually("`password` with `login`; `refresh_token` with `refresh` alone; `token` without either"),
        .key(
            "auth.placement", "bearer, or query:NAME with the name of a query parameter", "query:auth",
            "Where requests have the token: in the header `Authorization`, or in the URL; only with `scheme: bearer`."
        ).usually("`bearer`"),
        .seconds(
            "auth.skew", "180",
            "How long before the expiry of a token Homing renews it, at most a fifth of its lifetime; only with `scheme: bearer`."
        ).usually("`60`"),
        .seconds(
            "auth.lifetime", "3600", "How long a token is valid if the response does not say it; only with `scheme: bearer`."),
        .seconds(
            "auth.keepalive", "259200",
            "How long a session stays unused before Homing renews it, so that the server keeps it; only with `scheme: bearer`."),
    ]

    private static let tables: [DeclaredKey] = [
        .table(
            "auth.csrf", "{request: GET /csrf_token, token: /csrf_token, header: X-CSRF-Token}",
            "How Homing gets the token that the server requires in requests that change something; only with `scheme: cookie`."),
        .table(
            "auth.login", #"{request: POST /login, json: {password: "{password}"}, access: /token, account: /user/id}"#,
            "The sign-in with a password."
        ).usually("required with `scheme: cookie`"),
        .table(
            "auth.refresh", #"{request: POST /refresh, json: {refresh_token: "{refresh}"}, access: /token}"#,
            "The request that renews a token; only with `scheme: bearer`."),
        .table("auth.logout", "{request: DELETE /session}", "The sign-out.").usually("a sign-out without a request"),
    ]

    /// The values of a response that has tokens.
    fileprivate static func tokens(in table: String) -> (access: DeclaredKey, others: [DeclaredKey]) {
        (
            .pointers("\(table).access", "/token", "The token for other requests, in the response."),
            [
                .pointers("\(table).refresh", "/refresh_token", "The refresh token in the response."),
                .pointers("\(table).expires_in", "/expires_in", "The lifetime of the token in the response, in seconds."),
            ]
        )
    }
}

extension AuthRules.CSRFRules {
    fileprivate static let keys: [DeclaredKey] = [
        RequestTemplate.request(in: "auth.csrf", "GET /csrf_token", "The request that returns the token."),
        .pointer("auth.csrf.token", "/csrf_token", "The token in the response.").required,
        .key("auth.csrf.header", "a header name", "X-CSRF-Token", "The header of other requests that takes the token.").required,
    ]
}

extension AuthRules.LoginRules {
    fileprivate static let keys: [DeclaredKey] = {
        let table = "auth.login"
        let request = RequestTemplate.request(
            in: table, "POST /login", "The request of a sign-in, with `{password}` and usually `{email}` in a header or in the body.")
        let others = RequestTemplate.keys(
            in: table, [.json, .form, .headers, .timeout], body: #"{email: "{email}", password: "{password}"}"#)
        let tokens = AuthRules.tokens(in: table)
        let values: [DeclaredKey] = [
            .pointers("auth.login.account", "/user/id", "The id of the account in the response.").required,
            .pointers("auth.login.email", "/user/email", "The email address of the account in the response."),
            .pointers(
                "auth.login.second_factor", "/mfaPendingCredential",
                "The value that replaces the token if the account needs a second factor, which Homing cannot provide."),
        ]
        return [[request], others, [tokens.access.usually("required with `scheme: bearer`")], tokens.others, values].flatMap(\.self)
    }()
}

extension AuthRules.RefreshRules {
    fileprivate static let keys: [DeclaredKey] = {
        let table = "auth.refresh"
        let request = RequestTemplate.request(
            in: table, "POST /refresh", "The request that renews a token, with `{refresh}` in a header or in the body.")
        let others = RequestTemplate.keys(in: table, [.json, .form, .headers, .timeout], body: #"{refresh_token: "{refresh}"}"#)
        let tokens = AuthRules.tokens(in: table)
        let account = DeclaredKey.pointers(
            "auth.refresh.account", "/user/id",
            "The id of the account in the response, needed if people sign in with a refresh token and the profile has no `health`.")
        return [[request], others, [tokens.access.required], tokens.others, [account]].flatMap(\.self)
    }()
}

extension AuthRules.LogoutRules {
    fileprivate static let keys: [DeclaredKey] = {
        let table = "auth.logout"
        let request = DeclaredKey.key(
            "auth.logout.request", RequestTemplate.line, "POST /logout", "The request that ends the session at the server.")
        let body = RequestTemplate.keys(in: table, [.json, .form], body: #"{device: "{device_id}"}"#)
        let forAll = DeclaredKey.key(
            "auth.logout.json_all", "any value, with placeholders", "{all_devices: true}",
            "The body that ends the sessions of all devices; needs `request`.")
        let others = RequestTemplate.keys(in: table, [.headers, .timeout], body: "")
        return [[request], body, [forAll], others, effects].flatMap(\.self)
    }()

    private static let effects: [DeclaredKey] = [
        .choice(
            "auth.logout.on_failure", OnFailure.self, "keep",
            """
            Whether Homing forgets or keeps the session if the request fails; a 401 or 404 without JSON is a failure unless `errors.auth` \
            has its code.
            """
        ).usually("`clear`"),
        .choice(
            "auth.logout.owed", Owed.self, "retry",
            """
            Whether Homing keeps the sealed credentials of a sign-out that did not reach the server, and repeats `request` for at most a \
            day, until the same account signs in; needs `request` and `on_failure: clear`.
            """),
        .choice(
            "auth.logout.outbox", OutboxOnSignOut.self, "refuse",
            """
            The effect of a sign-out on waiting entries: they wait until the account signs in again (`hold`), a sign-out by an \
            administrator discards them (`drop`), or the sign-out fails while there are any (`refuse`).
            """
        ).usually("`hold`"),
    ]
}
