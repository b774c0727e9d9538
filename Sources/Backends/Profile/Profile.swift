import JSON
import SyncModel

/// A backend described as data, checked.
struct Profile: Sendable {
    let name: String
    /// Without a slash at its end.
    let baseURL: String
    let origin: Origin
    /// The whole base URL in the one form in which addresses are compared: whose accounts these are.
    let address: String
    /// Addresses under which the same service was known before, in that form.
    let formerAddresses: [String]
    let auth: AuthRules
    let health: HealthRules?
    let errors: ErrorRules
    let idempotency: IdempotencyRules?
    let routes: [String: Route]
    /// What it was read from, with what it extends laid under it.
    let source: YAMLNode

    struct HealthRules: Sendable {
        let request: RequestTemplate
        /// Where the answer says who is signed in; null means nobody.
        let account: JSONPointer
    }

    struct IdempotencyRules: Sendable {
        let header: String
        /// Whether the key is a structured field, in double quotes (RFC 8941 3.3.3).
        let isQuoted: Bool
        /// How long the server remembers a key; nil means for ever.
        let keyLifetime: Duration?
    }
}
