/// What proves to a backend who we are.
struct Credentials: Hashable, Sendable, Codable {
    var cookies = CookieJar()
    var tokens: Tokens?
    /// With the person's leave, what they signed in with.
    var kept: KeptLogin?

    struct KeptLogin: Hashable, Sendable, Codable {
        let email: String
        let password: Secret
    }
}
