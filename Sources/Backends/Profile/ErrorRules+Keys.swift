extension ErrorRules {
    static let keys: [DeclaredKey] = [
        .pointer("errors.ok", "/success", "A value of each response that is false if the server refused the request."),
        .pointers(
            "errors.code", "[/error/code, /code]",
            "The code of the error in a response; the lists of codes ignore case, and a `*` at the end of one matches any ending."),
        .pointers("errors.message", "[/error/message, /error]", "The words of the error in a response, which Homing shows to people."),
        .texts(
            "errors.auth", #"[Invalid token, "401"]"#,
            #"Codes by which a route says that the session is invalid; `"401"` matches a 401 without a code."#),
        .texts(
            "errors.relogin", "[UNAUTHORIZED, ACCOUNT_LOCKED]",
            """
            Codes by which a sign-in or a refresh says that the credentials are refused, so that a person must sign in again; \
            `invalid_grant` always counts, and `"401"` matches a 401 without a code.
            """),
        .texts("errors.retry", "[RATE_LIMITED]", "Codes that mean that the same request may work later."),
        .texts("errors.dead", "[VALIDATION_ERROR]", "Codes that mean that the server never accepts the entry, which then has failed."),
        .texts("errors.forbidden", "[FORBIDDEN]", "Codes that mean that the account may not do this; Homing holds the entry."),
        .table(
            "errors.words", "{INVALID_PASSWORD: The password is wrong.}",
            "Sentences for people by code, for responses to a sign-in or a refresh; they replace the words of the server."),
    ]
}
