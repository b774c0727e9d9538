import Backends

struct Credentials: Hashable, Sendable, Codable {
    var cookies = CookieJar()
    var tokens: Tokens?
    /// Only with the person's consent.
    var kept: KeptLogin?

    struct KeptLogin: Hashable, Sendable, Codable {
        let email: String
        let password: Secret
    }
}
