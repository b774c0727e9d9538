extension Profile {
    static let keys: [DeclaredKey] = server + parts

    private static let server: [DeclaredKey] = [
        .key("schema", "1", "1", "The version of the profile language.").required,
        .key(
            "name", "a name of lowercase letters, digits, - and _", "notes",
            "The name of the backend, and of its file without `.yaml` unless the file has `extends`."
        ).required,
        .key(
            "extends", ProfileLibrary.presetName, "firebase",
            "The preset whose keys this profile inherits; a key of this file replaces the inherited one."),
        .key(
            "base_url", "https://host/path, or http:// to a loopback address", "https://api.example.org",
            "The address of the server, with which each path in a request begins."
        ).required,
        .key(
            "formerly", "the service's former base_url, or a list of them", "https://old.example.org",
            "Earlier addresses of the same service, so that its sessions and waiting entries stay valid."),
        .seconds("timeout", in: RequestTemplate.timeouts, "30", "The longest time without a byte in either direction.")
            .usually("`timeouts.request` of `homing.yaml`"),
        .table("headers", "{X-Platform: linux}", "Headers for every request to this server."),
        .table(
            "vars", "{api_key: WEB_API_KEY}", "Texts for placeholders: with the example, `{api_key}` stands for `WEB_API_KEY`."),
    ]

    private static let parts: [DeclaredKey] = [
        .table("auth", "{scheme: bearer}", "How people sign in, and how requests carry the session.").required,
        .table(
            "health", "{request: GET /me, account: /id}",
            """
            The request that returns the account of the session, without which Homing cannot detect a server that mixes up sessions, and \
            sends one entry as the proof that an outage is over.
            """),
        .table("errors", "{code: /error/code}", "The place of an error in responses, and the meaning of its code."),
        .table(
            "idempotency", "{header: Idempotency-Key}",
            "The header by which the server recognizes a repeated request, for all routes."),
        .table(
            "routes", #"{note: {request: POST /notes, json: "{item.payload}"}}"#,
            "The requests that deliver entries, each under a name that you choose."
        ).required,
        .table(
            "resources", "{people: {request: GET /people, list: /people, id: /id}}",
            "The lists of the account that Homing keeps for offline use, each under a name that you choose."),
    ]

    /// The keys of the tables `health`, `errors` and `idempotency`.
    static let innerKeys: [DeclaredKey] = HealthRules.keys + ErrorRules.keys + IdempotencyRules.keys
}

extension Profile.HealthRules {
    fileprivate static let keys: [DeclaredKey] = [
        RequestTemplate.request(in: "health", "GET /me", "A GET request, which Homing sends with the credentials of the session."),
        .pointer("health.account", "/user/id", "The id of the account in the response; null means signed out.").required,
    ]
}

extension Profile.IdempotencyRules {
    fileprivate static let keys: [DeclaredKey] = [
        .key("idempotency.header", "a header name", "Idempotency-Key", "The header for the key, which is the id of the entry.").required,
        .flag("idempotency.quoted", "Whether the key is in double quotes."),
        .seconds("idempotency.key_ttl", "86400", "How long the server remembers a key.").usually("for good"),
    ]
}
