import Crypto
import Foundation

/// Cookies whose value is the state itself under a signature: nothing is kept on the server, so nothing can be revoked there.
struct SealedCookie: Sendable {
    private let key = SymmetricKey(size: .bits256)

    /// The value as text for a cookie.
    func seal(_ value: some Encodable) -> String {
        // The values are numbers and text: they cannot fail to encode.
        guard let payload = try? JSONEncoder().encode(value) else { return "" }
        return Self.text(payload) + "--" + Self.text(Data(HMAC<SHA256>.authenticationCode(for: payload, using: key)))
    }

    /// The value of a cookie, nil when it is not one of ours.
    func open<Value: Decodable>(_ text: String?, as type: Value.Type) -> Value? {
        let halves = text?.split(separator: "--", omittingEmptySubsequences: true) ?? []
        guard halves.count == 2, let payload = Self.data(halves[0]), let code = Self.data(halves[1]),
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: payload, using: key)
        else { return nil }
        return try? JSONDecoder().decode(type, from: payload)  // our own signature: only a value of another kind fails
    }

    /// Base64 in the URL alphabet without padding; `.` for `-`, so that `--` stays the separator.
    private static func text(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: ".").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func data(_ text: Substring) -> Data? {
        let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: text.replacing(".", with: "+").replacing("_", with: "/") + padding)
    }
}

/// What the cookie `_breathesafe_session` holds.
struct SessionCookie: Codable, Sendable, Equatable {
    var user: Int?
    var lastRequest: Date
    /// The secret under this session's CSRF tokens, nil until one is asked for.
    var csrfSecret: [UInt8]?
    /// Sessions of an older generation count as idle too long.
    var generation: Int
}

/// What the cookie `remember_user_token` holds.
struct RememberCookie: Codable, Sendable, Equatable {
    var user: Int
    var expires: Date
    /// Tokens of an older generation of their user do not work.
    var generation: Int
}
