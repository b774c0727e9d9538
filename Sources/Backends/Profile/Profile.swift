import JSON
import SyncModel

/// A validated backend profile.
package struct Profile: Sendable {
    let name: String
    /// Without a trailing slash.
    let baseURL: String
    package let origin: Origin
    /// Canonical; identifies the service that the accounts belong to.
    package let address: String
    /// Former canonical addresses of the same service.
    package let formerAddresses: [String]
    package let auth: AuthRules
    package let health: HealthRules?
    package let errors: ErrorRules
    let idempotency: IdempotencyRules?
    let routes: [String: Route]
    let resources: [Resource]
    /// Merged with the profile it extends.
    let source: YAMLNode

    package struct HealthRules: Sendable {
        package let request: RequestTemplate
        /// Null means signed out.
        let account: JSONPointer
    }

    struct IdempotencyRules: Sendable {
        let header: String
        /// A structured-field string in double quotes (RFC 8941 3.3.3).
        let isQuoted: Bool
        /// Nil for ever.
        let keyLifetime: Duration?
    }
}
