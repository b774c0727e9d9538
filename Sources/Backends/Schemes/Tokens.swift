import Foundation
import JSON
import SyncModel

/// What a bearer session is made of.
struct Tokens: Hashable, Sendable, Codable {
    var access: Secret
    /// Nil where the backend gives none.
    var refresh: Secret?
    /// By our own clock.
    var receivedAt: Date
    /// How long the access token holds from then on, in seconds; nil where nobody says, and then only a 401 tells that it has ended.
    var lifetime: TimeInterval?

    /// Whether the access token is to be renewed before it is used, `skew` seconds before its end but no earlier than after four fifths of
    /// its life.
    ///
    /// Only our own clock is asked, and only for a span: a server whose clock is years off changes nothing. Where ours was set back behind
    /// the receipt, nobody knows, and the token counts as good until the server says otherwise.
    func isStale(at now: Date, skew: TimeInterval) -> Bool {
        guard let lifetime else { return false }
        return now.timeIntervalSince(receivedAt) >= lifetime - min(skew, lifetime / 5)
    }

    /// Whether it has ended by our clock.
    func hasEnded(at now: Date) -> Bool { isStale(at: now, skew: 0) }
}

extension AuthRules.TokenRules {
    /// The tokens of an answer; nil where it holds no access token, or one that cannot be sent (RFC 9110 5.5).
    ///
    /// - Parameters:
    ///   - earlier: the refresh token that goes on being good where the answer brings no other one (RFC 6749 6).
    ///   - fallback: how long an access token holds where nobody says, in seconds.
    func tokens(in response: InboundResponse, earlier: Secret?, fallback: TimeInterval?, at now: Date) -> Tokens? {
        guard let json = response.json, let token = json.firstString(at: access), token.isFieldValue else { return nil }
        let next = json.firstString(at: refresh).flatMap { $0.isEmpty ? nil : $0 }
        guard next?.isFieldValue ?? true else { return nil }
        let refresh = next.map(Secret.init) ?? earlier
        let said = json.at(expiresIn)?.seconds.flatMap { $0 > 0 ? $0 : nil }
        let claims = TokenClaims(token)
        let spans = [said, claims?.lifetime].compactMap(\.self)
        // What ends at a time of the server's is measured against the server's clock.
        let left = claims?.end.flatMap { end in response.date.map { end.timeIntervalSince($0) } }.flatMap { $0 > 0 ? $0 : nil }
        return Tokens(access: Secret(token), refresh: refresh, receivedAt: now, lifetime: spans.min() ?? left ?? fallback)
    }
}

/// What a JWT says of itself (RFC 7519 4.1). It is not verified: that is the server's business.
struct TokenClaims {
    let issued: Date?
    let end: Date?
    /// Whose it is.
    let subject: AccountID?

    /// Nil where the token is no JWT.
    init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var payload = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        payload += String(repeating: "=", count: (4 - payload.count % 4) % 4)
        guard let json = Data(base64Encoded: payload).flatMap(JSONDocument.init) else { return nil }
        func date(_ key: String) -> Date? {
            json.member(key)?.seconds.map { Date(timeIntervalSince1970: $0) }
        }
        issued = date("iat")
        end = date("exp")
        subject = (json.member("sub")?.identifier ?? json.member("user_id")?.identifier).map(AccountID.init)
    }

    /// In seconds; nil where it does not say, or says what cannot be.
    var lifetime: TimeInterval? {
        guard let issued, let end, end > issued else { return nil }
        return end.timeIntervalSince(issued)
    }
}

extension JSONValue {
    /// A number of seconds, as a number or as text; nil for what no calendar could hold: infinity, or a time after the year 9999.
    fileprivate var seconds: TimeInterval? {
        guard let number = text.flatMap(TimeInterval.init), abs(number) < 253_402_300_800 else { return nil }
        return number
    }
}
