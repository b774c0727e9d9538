/// By table, as in the guide AddingABackend.
enum ProfileKeys {
    /// `NAME` stands for a user-chosen name.
    static let tables: KeyValuePairs<String, [String]> = [
        "": [
            "schema", "name", "extends", "base_url", "formerly", "timeout", "headers", "vars", "auth", "health", "errors", "idempotency",
            "routes", "resources",
        ],
        "auth": [
            "scheme", "on_401", "sign_in", "placement", "skew", "lifetime", "keepalive", "csrf", "login", "refresh", "logout",
        ],
        "auth.csrf": ["request", "token", "header"],
        "auth.login": [
            "request", "json", "form", "headers", "timeout", "access", "refresh", "expires_in", "account", "email", "second_factor",
        ],
        "auth.refresh": ["request", "json", "form", "headers", "timeout", "access", "refresh", "expires_in", "account"],
        "auth.logout": ["request", "json", "json_all", "form", "headers", "timeout", "on_failure", "owed", "outbox"],
        "health": ["request", "account"],
        "errors": ["ok", "code", "message", "auth", "relogin", "retry", "dead", "forbidden", "words"],
        "idempotency": ["header", "quoted", "key_ttl"],
        "routes.NAME": [
            "title", "creates", "changes", "then", "form", "values", "deletes", "row", "absent_is_done", "confirm",
            "request", "json", "headers", "timeout", "fields", "requires", "marker", "find", "remote_id", "promises", "empty", "lane",
            "after", "behind", "on_dead", "delivery", "unknown_on", "gone", "echo", "repeats", "max_depth", "compress", "touches",
            "reasons",
        ],
        "routes.NAME.title": ["one", "many"],
        "routes.NAME.fields.NAME": ["type", "reference"],
        "routes.NAME.values.NAME": ["from", "to"],
        "routes.NAME.row": ["resource", "where", "fresh"],
        "routes.NAME.reasons": ["status", "message", "words", "fix"],
        "routes.NAME.find": ["request", "list", "match", "remote_id", "echo", "pages"],
        "routes.NAME.find.pages": ["page", "per_page", "total"],
        "resources.NAME": ["request", "parent", "gone", "list", "id", "label", "keep", "created", "title", "pages", "max_age"],
        "resources.NAME.title": ["one", "many"],
        "resources.NAME.pages": ["page", "per_page", "total"],
    ]
}

extension Mistake {
    /// Adds the tables that a misplaced key belongs in.
    var withPlacesOfKey: Mistake {
        let name = key.split(separator: ".").last.map(String.init) ?? ""
        let places = ProfileKeys.tables.filter { $0.value.contains(name) }.map { $0.key.isEmpty ? "the top level" : $0.key }
        guard found?.hasPrefix(StrictTable.unknownKey) == true, !places.isEmpty else { return self }
        return Mistake(
            file: file, line: line, key: key, found: found, expected: "\(expected); \(name) belongs in \(places.joined(separator: ", "))")
    }
}
