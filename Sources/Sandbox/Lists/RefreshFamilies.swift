import Foundation

/// All tokens of one sign-in form a family; using one twice revokes the family.
struct RefreshFamilies: Sendable {
    private struct Token {
        let text: String
        let account: String
        let family: Int
        let expires: Date
        var usedAt: Date?
        var isRevoked = false
    }

    private static let mostTokens = 20
    private static let mostFamilies = 10

    /// Seconds in which a used token may be sent again without revoking the family.
    let grace: Int
    /// Oldest first.
    private var tokens: [Token] = []
    private var families = 0

    init(grace: Int) { self.grace = grace }

    /// Begins a family; an eleventh one revokes the account's oldest.
    mutating func begin(for account: String, expires: Date) -> String {
        families += 1
        let token = add(account, family: families, expires: expires)
        let mine = tokens.filter { $0.account == account && !$0.isRevoked }.map(\.family)
        for family in Set(mine).sorted().dropLast(Self.mostFamilies) { revoke { $0.family == family } }
        return token
    }

    /// Exchanges a token, or throws the 401.
    mutating func exchange(_ text: String, expires: Date, at now: Date) throws(Refusal) -> (account: String, token: String) {
        guard let place = tokens.firstIndex(where: { $0.text == text }) else { throw .refresh("token_invalid") }
        let token = tokens[place]
        if let usedAt = token.usedAt {
            if !token.isRevoked && now.timeIntervalSince(usedAt) < Double(grace) { throw .refresh("token_already_refreshed") }
            revoke { $0.family == token.family }
            throw .refresh("token_reused")
        }
        guard !token.isRevoked else { throw .refresh("token_invalid") }
        guard token.expires > now else { throw .refresh("token_expired") }
        tokens[place].usedAt = now
        return (token.account, add(token.account, family: token.family, expires: expires))
    }

    mutating func revoke(_ text: String) { revoke { $0.text == text } }

    mutating func revokeAll() { revoke { _ in true } }

    /// The account of a token, valid or not.
    func owner(of text: String) -> String? { tokens.first { $0.text == text }?.account }

    private mutating func add(_ account: String, family: Int, expires: Date) -> String {
        let text = OpaqueToken.new()
        tokens.append(Token(text: text, account: account, family: family, expires: expires))
        // Above the limit, revokes the account's oldest tokens, including used ones.
        let mine = tokens.filter { $0.account == account && !$0.isRevoked }
        for oldest in mine.dropLast(Self.mostTokens) { revoke(oldest.text) }
        return text
    }

    private mutating func revoke(where isMeant: (Token) -> Bool) {
        for place in tokens.indices where isMeant(tokens[place]) { tokens[place].isRevoked = true }
    }
}

extension Refusal {
    static func refresh(_ code: String) -> Refusal {
        let messages = [
            "token_invalid": "Invalid refresh token", "token_expired": "Refresh token has expired",
            "token_reused": "Refresh token reuse detected; all sessions of this family were revoked",
            "token_already_refreshed": "Refresh token was already used",
        ]
        return Refusal(401, code, messages[code] ?? code)
    }
}
