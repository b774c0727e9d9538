import Foundation

/// A change of one key that `homingd check` accepts.
struct ValidChange: Sendable {
    /// The effect on waiting entries.
    enum Outcome: Sendable {
        case arrive
        /// The entries wait or are held as `profile`, and are delivered after the change is reverted.
        case stay
    }

    let key: String
    let old, new: String
    let outcome: Outcome

    init(_ key: String, _ old: String, _ new: String, _ outcome: Outcome = .arrive) {
        (self.key, self.old, self.new, self.outcome) = (key, old, new, outcome)
    }

    /// `BASE` and `OTHER` stand for two servers.
    static let profile = """
        schema: 1
        name: breathesafe
        base_url: BASE
        timeout: 60
        headers: {Accept: application/json}
        auth:
          scheme: cookie
          on_401: [login]
          csrf: {request: GET /csrf_token, token: /csrf_token, header: X-CSRF-Token}
          login:
            request: POST /users/log_in
            json: {user: {email: "{email}", password: "{password}", remember_me: "1"}}
            account: /id
            email: /email
          logout: {request: DELETE /users/log_out, timeout: 10, on_failure: clear}
        health: {request: GET /users/get_current_user, account: /currentUser/id}
        errors:
          code: [/messages/0, /error]
          message: [/messages/0, /error]
          auth: ["Please log in.", "Unauthorized."]
          dead: ["Not managed by current user."]
        routes:
          measurement:
            request: POST /users/{item.user_id}/facial_measurements_from_arkit
            fields: {user_id: integer}
            json: {arkit_data: "{item.payload}"}
            requires: [/average_measurements]
            marker: /arkit_data/client_mutation_id
            remote_id: /facial_measurement/id
            lane: users/{item.user_id}
            on_dead: skip
            find:
              request: GET /users/{item.user_id}/facial_measurements
              list: /facial_measurements
              match: /arkit/client_mutation_id
              remote_id: /id
        resources:
          managed_users: {request: GET /managed_users, list: /managed_users, id: /managed_id, max_age: 86400}

        """

    private static let route = "    on_dead: skip\n"
    private static let find = "      match: /arkit/client_mutation_id\n"

    private static func added(_ key: String, _ line: String, to place: String, _ outcome: Outcome = .arrive) -> ValidChange {
        ValidChange(key, place, place + line + "\n", outcome)
    }

    static let ofProfile: [ValidChange] = [
        ValidChange("name", "name: breathesafe", "name: other", .stay),
        ValidChange("base_url", "base_url: BASE", "base_url: OTHER", .stay),
        ValidChange("base_url", "base_url: BASE", "base_url: BASE/clinic", .stay),
        added("formerly", "formerly: [https://old.example]", to: "base_url: BASE\n"),
        ValidChange("timeout", "timeout: 60", "timeout: 50"),
        ValidChange("headers", "{Accept: application/json}", "{Accept: application/json, X-Room: \"4\"}"),
        ValidChange(
            "vars", "headers: {Accept: application/json}", "vars: {room: \"4\"}\nheaders: {Accept: application/json, X-Room: \"{room}\"}"),
        ValidChange("auth.on_401", "on_401: [login]", "on_401: []"),
        ValidChange("auth.csrf.request", "GET /csrf_token,", "GET /csrf_token?room=4,"),
        ValidChange("auth.csrf.token", "token: /csrf_token", "token: /csrf/token", .stay),
        ValidChange("auth.csrf.header", "header: X-CSRF-Token", "header: X-Other-Token"),
        ValidChange("auth.login.request", "POST /users/log_in", "POST /users/log_in?room=4"),
        ValidChange("auth.login.json", ", remember_me: \"1\"", ""),
        ValidChange("auth.login.email", "    email: /email\n", ""),
        ValidChange("auth.login.account", "account: /id\n", "account: /email\n"),
        added("auth.login.headers", "    headers: {X-Room: \"4\"}", to: "    account: /id\n"),
        added("auth.login.timeout", "    timeout: 20", to: "    account: /id\n"),
        ValidChange("auth.logout.request", "DELETE /users/log_out", "DELETE /users/log_out?room=4"),
        ValidChange("auth.logout.timeout", "timeout: 10", "timeout: 9"),
        ValidChange("auth.logout.on_failure", "on_failure: clear", "on_failure: keep"),
        ValidChange("auth.logout.owed", "on_failure: clear", "on_failure: clear, owed: retry"),
        ValidChange("auth.logout.outbox", "on_failure: clear", "on_failure: clear, outbox: refuse"),
        ValidChange("health", "health: {request: GET /users/get_current_user, account: /currentUser/id}\n", ""),
        ValidChange("health.request", "GET /users/get_current_user", "GET /users/get_current_user?room=4"),
        ValidChange("errors.code", "code: [/messages/0, /error]", "code: [/error]"),
        ValidChange("errors.message", "message: [/messages/0, /error]", "message: [/error]"),
        ValidChange("errors.auth", "auth: [\"Please log in.\", \"Unauthorized.\"]", "auth: [\"Please log in.\"]"),
        added("errors.ok", "  ok: /ok", to: "errors:\n"),
        added("errors.relogin", "  relogin: [\"Expired.\"]", to: "errors:\n"),
        added("errors.retry", "  retry: [\"Busy.\"]", to: "errors:\n"),
        added("errors.forbidden", "  forbidden: [\"No.\"]", to: "errors:\n"),
        added("errors.words", "  words: {\"Busy.\": \"It is busy.\"}", to: "errors:\n"),
        ValidChange("errors.dead", "dead: [\"Not managed by current user.\"]", "dead: [\"Not managed by current user.\", \"No.\"]"),
        added("idempotency.header", "idempotency: {header: Idempotency-Key}", to: "timeout: 60\n"),
        added("idempotency.quoted", "idempotency: {header: Idempotency-Key, quoted: true}", to: "timeout: 60\n"),
        added("idempotency.key_ttl", "idempotency: {header: Idempotency-Key, key_ttl: 60}", to: "timeout: 60\n"),
        ValidChange("routes", "  measurement:\n", "  scan:\n", .stay),
        ValidChange("routes.NAME.request", "facial_measurements_from_arkit", "facial_measurements_from_arkit?room=4"),
        ValidChange("routes.NAME.request", "facial_measurements_from_arkit", "nowhere", .stay),
        ValidChange("routes.NAME.request", "facial_measurements_from_arkit", "facial_measurements_from_arkit?room={item.room}", .stay),
        ValidChange("routes.NAME.json", "{arkit_data: \"{item.payload}\"}", "{arkit_data: \"{item.payload}\", room: \"4\"}"),
        ValidChange(
            "routes.NAME.json", "{arkit_data: \"{item.payload}\"}", "{arkit_data: \"{item.payload}\", room: \"{item.room}\"}", .stay),
        added("routes.NAME.headers", "    headers: {X-Room: \"4\"}", to: route),
        added("routes.NAME.timeout", "    timeout: 20", to: route),
        ValidChange("routes.NAME.fields", "{user_id: integer}", "{user_id: text}"),
        ValidChange("routes.NAME.fields", "{user_id: integer}", "{user_id: {type: integer, reference: managed_users}}"),
        ValidChange("routes.NAME.requires", "[/average_measurements]", "[/average_measurements, /room]"),
        ValidChange("routes.NAME.remote_id", "remote_id: /facial_measurement/id", "remote_id: /facial_measurement/created_at"),
        added("routes.NAME.promises", "    promises: /facial_measurement", to: route),
        ValidChange("routes.NAME.lane", "lane: users/{item.user_id}", "lane: people/{item.user_id}"),
        added("routes.NAME.after", "    after: people/{item.user_id}", to: route),
        ValidChange("routes.NAME.on_dead", "on_dead: skip", "on_dead: halt"),
        added("routes.NAME.delivery", "    delivery: at-most-once", to: route),
        added("routes.NAME.unknown_on", "    unknown_on: [500]", to: route),
        added("routes.NAME.echo", "    echo: /facial_measurement/arkit", to: route),
        added("routes.NAME.touches", "    touches: managed_users", to: route),
        added("routes.NAME.reasons", "    reasons: {status: 404, words: It is not there., fix: user_id}", to: route),
        added("routes.NAME.max_depth", "    max_depth: 3", to: route),
        added("routes.NAME.compress", "    compress: gzip", to: route),
        ValidChange("routes.NAME.find.request", "{item.user_id}/facial_measurements\n", "{item.user_id}/facial_measurements?room=4\n"),
        ValidChange("routes.NAME.find.list", "list: /facial_measurements", "list: /rows"),
        ValidChange("routes.NAME.find.match", "match: /arkit/client_mutation_id", "match: /client_mutation_id"),
        added("routes.NAME.find.echo", "      echo: /arkit", to: find),
        added("routes.NAME.find.pages", "      pages: {page: page, per_page: per_page, total: /total_count}", to: find),
        ValidChange("resources.NAME.max_age", "max_age: 86400", "max_age: 60"),
    ]

    /// Keys that have no valid change here, or that are changed together with their table.
    static let otherKeys: [String: String] = [
        "schema": "it has one value", "extends": "what is extended is laid under a profile when it is read, and is like any key of it",
        "auth.scheme": "another scheme has no session here: people sign in anew", "auth.login.form": "the body is JSON",
        "auth.login.access": "of tokens", "auth.login.refresh": "of tokens", "auth.login.expires_in": "of tokens",
        "auth.login.second_factor": "people sign in without one", "auth.sign_in": "of tokens", "auth.placement": "of tokens",
        "auth.skew": "of tokens", "auth.lifetime": "of tokens", "auth.keepalive": "of tokens", "auth.refresh": "of tokens",
        "auth.logout.json": "it has no body", "auth.logout.json_all": "it has no body", "auth.logout.form": "it has no body",
        "auth.logout.headers": "of a sign-out alone", "health.account": "an account of another name is another account",
        "routes.NAME.marker": "with it, find.match changes", "routes.NAME.gone": "of deletions",
        "routes.NAME.empty": "its answer has a body", "routes.NAME.creates": "of rows", "routes.NAME.changes": "of rows",
        "routes.NAME.repeats": "held by RepeatsTests", "routes.NAME.then": "of rows", "routes.NAME.form": "of rows",
        "routes.NAME.values": "of rows",
        "routes.NAME.find.remote_id": "of look-ups alone",
        "resources.NAME": "read for people, and never for what is sent",
    ]

    static let configuration = """
        state_directory: state
        socket: homing.sock
        backends: backends
        spool: {enabled: true, backend: breathesafe, route: measurement}
        delivery: {first_delay: 0.05, lookup_after: 0.05, first_pause: 0.1}
        timeouts: {connect: 10, request: 30, exchange: 60}
        outbox: {keep_delivered: 86400}

        """

    private static func delivery(_ key: String, _ value: String) -> ValidChange {
        ValidChange("delivery.\(key)", "first_pause: 0.1}", "first_pause: 0.1, \(key): \(value)}")
    }

    static let ofConfiguration: [ValidChange] = [
        ValidChange("backends", "backends: backends", "backends: copies"),
        ValidChange("ca_file", "backends: backends\n", "backends: backends\nca_file: /etc/ssl/certs/ca-certificates.crt\n"),
        ValidChange("spool.enabled", "enabled: true, backend: breathesafe, route: measurement", "enabled: false"),
        ValidChange("spool.directory", "enabled: true,", "enabled: true, directory: drop,"),
        ValidChange("spool.backend", "backend: breathesafe, ", ""),
        delivery("in_flight", "1"), delivery("attempts", "1"), delivery("delay_factor", "2"), delivery("longest_delay", "1"),
        delivery("longest_pause", "1"),
        ValidChange("delivery.first_delay", "first_delay: 0.05", "first_delay: 0.1"),
        ValidChange("delivery.lookup_after", "lookup_after: 0.05", "lookup_after: 0.1"),
        ValidChange("delivery.first_pause", "first_pause: 0.1", "first_pause: 0.2"),
        ValidChange("timeouts.connect", "connect: 10", "connect: 9"), ValidChange("timeouts.request", "request: 30", "request: 29"),
        ValidChange("timeouts.exchange", "exchange: 60", "exchange: 59"),
        ValidChange("outbox.max_bytes", "keep_delivered: 86400", "keep_delivered: 86400, max_bytes: 1048576"),
        ValidChange("outbox.keep_delivered", "keep_delivered: 86400", "keep_delivered: 1"),
        ValidChange("access.observe", "backends: backends\n", "backends: backends\naccess: {observe: root}\n"),
        ValidChange("access.operate", "backends: backends\n", "backends: backends\naccess: {operate: root}\n"),
        ValidChange("access.administer", "backends: backends\n", "backends: backends\naccess: {administer: root}\n"),
    ]

    static let otherConfigurationKeys: [String: String] = [
        "state_directory": "another directory is another station", "socket": "where programs find the daemon",
        "spool.route": "the profile has one route", "spool.unclaimed": "held by ClaimTests", "proxy": "held by ProxyTests",
        "no_proxy": "held by ProxyTests", "notify": "held by WebhookTests and MailNotificationTests",
    ]
}
