import Foundation

/// The state of one simulated Firebase project, part of each backend that uses it.
struct FirebaseState: Sendable {
    var configuration: FirebaseConfiguration
    private var signer = TokenSigner()
    /// The account identifiers of all issued refresh tokens.
    private var refreshTokens: [String: String] = [:]
    private var revoked: Set<String> = []
    var disabled: Set<String> = []
    var deleted: Set<String> = []
    /// True if an unknown e-mail address and a wrong password give the same error.
    var hidesAccounts = true
    /// True if signing in also needs a second factor.
    var wantsSecondFactor = false

    init(_ configuration: FirebaseConfiguration) {
        self.configuration = configuration
        for (token, email) in configuration.refreshTokens {
            refreshTokens[token] = configuration.accounts.account(email: email)?.id
        }
    }

    /// The account of an ID token, even if expired; nil if this project did not sign it.
    func owner(ofIDToken token: String?) -> SandboxAccount? {
        configuration.accounts.account(id: signer.open(token)?.claims["sub"]?.text)
    }

    /// The account of a valid ID token. Revocation and deletion do not invalidate it.
    func account(ofIDToken token: String?, at now: Date) -> SandboxAccount? {
        guard let signed = signer.open(token), signed.works(at: now) else { return nil }
        return configuration.accounts.account(id: signed.claims["sub"]?.text)
    }

    /// The account of a refresh token, valid or not.
    func owner(ofRefreshToken token: String?) -> SandboxAccount? {
        configuration.accounts.account(id: token.flatMap { refreshTokens[$0] })
    }

    func isRevoked(_ refreshToken: String) -> Bool { revoked.contains(refreshToken) }

    func idToken(for account: SandboxAccount, at now: Date) -> String {
        signer.sign([
            "iss": .string("https://securetoken.google.com/\(configuration.project)"), "aud": .string(configuration.project),
            "sub": .string(account.id), "user_id": .string(account.id), "email": .string(account.email), "auth_time": .int(now.unixSeconds),
            "iat": .int(now.unixSeconds), "exp": .int(now.unixSeconds + configuration.idTokenLifetime), "jti": .string(OpaqueToken.new()),
        ])
    }

    /// A new refresh token. It contains the project's name, so tokens of other projects can be recognized.
    mutating func newRefreshToken(for account: SandboxAccount) -> String {
        let token = OpaqueToken.new("\(configuration.project).")
        refreshTokens[token] = account.id
        return token
    }

    /// Invalidates all ID tokens and, if `ends`, all refresh tokens.
    mutating func endTokens(refreshTokens ends: Bool) {
        signer.endTokens()
        if ends { revoked.formUnion(refreshTokens.keys) }
    }

    /// Revokes the account's refresh tokens, as a password change does.
    mutating func revokeRefreshTokens(of account: SandboxAccount) {
        revoked.formUnion(refreshTokens.filter { $0.value == account.id }.keys)
    }
}
