import SyncModel

/// How a backend wants to know who we are: the table `auth`.
struct AuthRules: Sendable {
    let scheme: SchemeName
    /// Whether a session that ended may be renewed with a kept password.
    let renewsByLogin: Bool
    let csrf: CSRFRules?
    let login: LoginRules
    let logout: LogoutRules

    enum SchemeName: String, CaseIterable { case cookie }

    /// A token that the server wants back with every request that changes something.
    struct CSRFRules: Sendable {
        let request: RequestTemplate
        let token: JSONPointer
        let header: String
    }

    struct LoginRules: Sendable {
        let request: RequestTemplate
        /// Where the answer names the account.
        let account: [JSONPointer]
        /// Where the answer repeats the e-mail address.
        let email: [JSONPointer]
    }

    struct LogoutRules: Sendable {
        /// Nil where the server is not told.
        let request: RequestTemplate?
        /// The same with the body that ends every device's session; nil where that is not offered.
        let requestForAll: RequestTemplate?
        let keepsOnFailure: Bool
        let outbox: OutboxOnSignOut
    }
}

/// What a profile wants done with a person's entries when they sign out.
package enum OutboxOnSignOut: String, Sendable, CaseIterable {
    /// They wait until the person is back.
    case hold
    /// A person has to discard them; nothing is dropped by itself.
    case drop
    /// Signing out is refused while there are any.
    case refuse
}
