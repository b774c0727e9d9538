import Crypto
import Foundation

/// Cookies that contain the signed state; the server keeps no sessions.
struct SealedCookie: Sendable {
    private let key = SymmetricKey(size: .bits256)

    func seal(_ value: some Encodable) -> String {
        // `try?`: the values are numbers and text, so encoding cannot fail.
        guard let payload = try? JSONEncoder().encode(value) else { return "" }
        let halves = [payload, Data(HMAC<SHA256>.authenticationCode(for: payload, using: key))]
        // `.` instead of `-`, so that `--` stays the separator.
        return halves.map { $0.base64URL.replacing("-", with: ".") }.joined(separator: "--")
    }

    func open<Value: Decodable>(_ text: String?, as type: Value.Type) -> Value? {
        let halves = text?.split(separator: "--", omittingEmptySubsequences: true) ?? []
        guard halves.count == 2, let payload = Self.data(halves[0]), let code = Self.data(halves[1]),
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: payload, using: key)
        else { return nil }
        return try? JSONDecoder().decode(type, from: payload)  // `try?`: the signature is valid, so only another type fails
    }

    private static func data(_ text: Substring) -> Data? {
        let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: text.replacing(".", with: "+").replacing("_", with: "/") + padding)
    }
}

/// The content of the cookie `_breathesafe_session`.
struct SessionCookie: Codable, Sendable, Equatable {
    var user: Int?
    var lastRequest: Date
    /// The secret of the session's CSRF tokens.
    var csrfSecret: [UInt8]?
    /// Sessions of an older generation are treated as idle too long.
    var generation: Int
}

/// The content of the cookie `remember_user_token`.
struct RememberCookie: Codable, Sendable, Equatable {
    var user: Int
    var expires: Date
    /// Tokens of an older generation are invalid.
    var generation: Int
}

/// Rails' masked CSRF tokens: a random mask and its XOR with the session's 32-byte secret.
enum CSRFToken {
    static func secret() -> [UInt8] { (0..<32).map { _ in UInt8.random(in: .min ... .max) } }

    static func masked(_ secret: [UInt8]) -> String {
        let mask = Self.secret()
        let masked = zip(mask, secret).map { $0 ^ $1 }
        return (mask + masked).base64URL
    }

    static func isValid(_ token: String, for secret: [UInt8]) -> Bool {
        guard let data = Data(base64Encoded: token.replacing("-", with: "+").replacing("_", with: "/") + "=="), data.count == 64
        else { return false }
        let bytes = Array(data)
        return zip(bytes.prefix(32), bytes.suffix(32)).map { $0 ^ $1 } == secret
    }
}
