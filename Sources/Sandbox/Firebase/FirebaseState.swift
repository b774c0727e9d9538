import Foundation

/// One Firebase project, part of each backend that uses it.
struct FirebaseState: Sendable {
    static let project = "homing-lab"

    var configuration: FirebaseConfiguration
    /// Revocation and deletion do not invalidate ID tokens.
    private(set) var idTokens: TokenSigner
    /// The account identifiers of all issued refresh tokens.
    private var refreshTokens: [String: String] = [:]
    private var revoked: Set<String> = []
    var disabled: Set<String> = []
    var deleted: Set<String> = []
    /// True if an unknown email address and a wrong password give the same error.
    var hidesAccounts = true
    /// True if signing in also needs a second factor.
    var wantsSecondFactor = false

    init(_ configuration: FirebaseConfiguration) {
        self.configuration = configuration
        idTokens = TokenSigner(configuration.accounts, claim: "sub")
        for (token, email) in configuration.refreshTokens {
            refreshTokens[token] = configuration.accounts.account(email: email)?.id
        }
    }

    /// The account of a refresh token, valid or not.
    func owner(ofRefreshToken token: String?) -> SandboxAccount? {
        configuration.accounts.account(id: token.flatMap { refreshTokens[$0] })
    }

    func isRevoked(_ refreshToken: String) -> Bool { revoked.contains(refreshToken) }

    func idToken(for account: SandboxAccount, at now: Date) -> String {
        idTokens.token(
            for: account, seconds: configuration.idTokenLifetime, at: now,
            [
                "iss": .string("https://securetoken.google.com/\(Self.project)"), "aud": .string(Self.project),
                "user_id": .string(account.id), "email": .string(account.email), "auth_time": .int(now.unixSeconds),
            ])
    }

    /// A new refresh token, with the project's name, which distinguishes it from those of other projects.
    mutating func newRefreshToken(for account: SandboxAccount) -> String {
        let token = OpaqueToken.new("\(Self.project).")
        refreshTokens[token] = account.id
        return token
    }

    /// Invalidates all ID tokens and, if `ends`, all refresh tokens.
    mutating func endTokens(refreshTokens ends: Bool) {
        idTokens.endTokens()
        if ends { revoked.formUnion(refreshTokens.keys) }
    }

    /// Revokes the account's refresh tokens, as a password change does.
    mutating func revokeRefreshTokens(of account: SandboxAccount) {
        revoked.formUnion(refreshTokens.filter { $0.value == account.id }.keys)
    }

    /// `revoked` triggers an event and always reads as empty.
    static var settings: [Setting<Self>] {
        func emails(
            _ name: String, _ value: @escaping (Self) -> Set<String>, _ change: @escaping (inout Self, [SandboxAccount]) -> Void
        ) -> Setting<Self> {
            Setting(
                name: name, value: { state in .array(value(state).sorted().map { .string($0) }) },
                change: { state, json throws(FaultProblem) in
                    let accounts = try state.accounts(json, of: name)
                    change(&state, accounts)
                })
        }
        return [
            emails("disabled", \.disabled) { $0.disabled = Set($1.map(\.email)) },
            emails("deleted", \.deleted) { $0.deleted = Set($1.map(\.email)) },
            emails("revoked", { _ in [] }, { state, accounts in for account in accounts { state.revokeRefreshTokens(of: account) } }),
            .flag("hides-accounts", \.hidesAccounts), .flag("second-factor", \.wantsSecondFactor),
            .text("api-key", \.configuration.apiKey), .word("renewal", \.configuration.renewal),
        ]
    }

    private func accounts(_ value: JSON, of name: String) throws(FaultProblem) -> [SandboxAccount] {
        let found = (value.elements ?? []).compactMap { configuration.accounts.account(email: $0.text) }
        guard let elements = value.elements, found.count == elements.count else {
            let known = configuration.accounts.map(\.email).joined(separator: ", ")
            throw FaultProblem(description: "\(name): expected an array of these email addresses: \(known)")
        }
        return found
    }
}
