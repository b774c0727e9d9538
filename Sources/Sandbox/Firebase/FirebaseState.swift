import Foundation

/// What one imitated Firebase project knows; the backends that use it contain it.
struct FirebaseState: Sendable {
    var configuration: FirebaseConfiguration
    private var signer = TokenSigner()
    /// Every refresh token that was ever given out, with its account.
    private var refreshTokens: [String: String] = [:]
    /// Refresh tokens that were revoked.
    private var revoked: Set<String> = []
    /// The e-mails of accounts that are switched off.
    var disabled: Set<String> = []
    /// The e-mails of accounts that were deleted.
    var deleted: Set<String> = []
    /// Whether a wrong e-mail and a wrong password are told apart.
    var hidesAccounts = true
    /// Whether the right password is not enough to sign in.
    var wantsSecondFactor = false

    init(_ configuration: FirebaseConfiguration) {
        self.configuration = configuration
        for (token, email) in configuration.refreshTokens {
            refreshTokens[token] = configuration.accounts.account(email: email)?.id
        }
    }

    /// The account of an ID token, also when it has expired; nil when it was not signed here.
    func owner(ofIDToken token: String?) -> SandboxAccount? {
        configuration.accounts.account(id: signer.open(token)?.claims["sub"]?.text)
    }

    /// The account of an ID token that works. Revocation and deletion do not end one: only its time does.
    func account(ofIDToken token: String?, at now: Date) -> SandboxAccount? {
        guard let signed = signer.open(token), signed.works(at: now) else { return nil }
        return configuration.accounts.account(id: signed.claims["sub"]?.text)
    }

    /// The account of a refresh token, whether or not it works.
    func owner(ofRefreshToken token: String?) -> SandboxAccount? {
        configuration.accounts.account(id: token.flatMap { refreshTokens[$0] })
    }

    func isRevoked(_ refreshToken: String) -> Bool { revoked.contains(refreshToken) }

    /// A new ID token of an account.
    func idToken(for account: SandboxAccount, at now: Date) -> String {
        signer.sign([
            "iss": .string("https://securetoken.google.com/\(configuration.project)"), "aud": .string(configuration.project),
            "sub": .string(account.id), "user_id": .string(account.id), "email": .string(account.email), "auth_time": .int(now.unixSeconds),
            "iat": .int(now.unixSeconds), "exp": .int(now.unixSeconds + configuration.idTokenLifetime), "jti": .string(OpaqueToken.new()),
        ])
    }

    /// A new refresh token of an account; it names its project, as the tokens of another project do.
    mutating func newRefreshToken(for account: SandboxAccount) -> String {
        let token = OpaqueToken.new("\(configuration.project).")
        refreshTokens[token] = account.id
        return token
    }

    /// Ends all ID tokens, and with `refreshTokens` those too.
    mutating func endTokens(refreshTokens ends: Bool) {
        signer.endTokens()
        if ends { revoked.formUnion(refreshTokens.keys) }
    }

    /// Revokes the refresh tokens of one account, as a changed password does.
    mutating func revokeRefreshTokens(of account: SandboxAccount) {
        revoked.formUnion(refreshTokens.filter { $0.value == account.id }.keys)
    }
}
