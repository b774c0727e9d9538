import Backends
import Foundation
import JSON
import SyncModel

struct Tokens: Hashable, Sendable, Codable {
    var access: Secret
    var refresh: Secret?
    /// On the local clock.
    var receivedAt: Date
    /// In seconds; if nil, only a 401 shows the end.
    var lifetime: TimeInterval?

    /// True from `skew` seconds before the end, but not before four fifths of the lifetime. Uses only spans of the local clock: after a
    /// clock was set back, the token counts as valid until the server refuses it.
    func isStale(at now: Date, skew: TimeInterval) -> Bool {
        guard let lifetime else { return false }
        return now.timeIntervalSince(receivedAt) >= lifetime - min(skew, lifetime / 5)
    }

    func hasEnded(at now: Date) -> Bool { isStale(at: now, skew: 0) }
}

extension AuthRules.TokenRules {
    /// The tokens; nil without an access token, or if one cannot be sent (RFC 9110 5.5). `earlier` is kept if the answer has no refresh
    /// token (RFC 6749 6); `fallback` is the lifetime in seconds if none is given.
    func tokens(in response: InboundResponse, earlier: Secret?, fallback: TimeInterval?, at now: Date) -> Tokens? {
        guard let json = response.json, let token = json.firstString(at: access), token.isFieldValue else { return nil }
        let next = json.firstString(at: refresh).flatMap { $0.isEmpty ? nil : $0 }
        guard next?.isFieldValue ?? true else { return nil }
        let refresh = next.map(Secret.init) ?? earlier
        let said = json.at(expiresIn)?.seconds.flatMap { $0 > 0 ? $0 : nil }
        let claims = TokenClaims(token)
        let spans = [said, claims?.lifetime].compactMap(\.self)
        // Compare a server time with the server's clock.
        let left = claims?.end.flatMap { end in response.date.map { end.timeIntervalSince($0) } }.flatMap { $0 > 0 ? $0 : nil }
        return Tokens(access: Secret(token), refresh: refresh, receivedAt: now, lifetime: spans.min() ?? left ?? fallback)
    }
}

/// JWT claims (RFC 7519 4.1), not verified.
struct TokenClaims {
    let issued: Date?
    let end: Date?
    let subject: AccountID?

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

    /// In seconds; nil if missing or impossible.
    var lifetime: TimeInterval? {
        guard let issued, let end, end > issued else { return nil }
        return end.timeIntervalSince(issued)
    }
}

extension JSONValue {
    /// Nil for infinity or a time after the year 9999.
    fileprivate var seconds: TimeInterval? {
        guard let number = text.flatMap(TimeInterval.init), abs(number) < 253_402_300_800 else { return nil }
        return number
    }
}
