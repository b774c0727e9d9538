import Crypto
import Foundation

/// Signs JSON Web Tokens with HS256 (RFC 7519) under a key that can be replaced, which ends all tokens at once.
struct TokenSigner: Sendable {
    /// The newest last; the older ones only tell whose a token was.
    private var keys = [SymmetricKey(size: .bits256)]

    /// Ends every token that was signed until now.
    mutating func endTokens() { keys.append(SymmetricKey(size: .bits256)) }

    /// A token with these claims; equal claims make equal tokens.
    func sign(_ claims: JSONObject) -> String {
        let header: JSON = ["alg": "HS256", "typ": "JWT"]
        let content = "\(Self.text(header.bytes)).\(Self.text(JSON.object(claims).bytes))"
        return "\(content).\(Self.text(Self.code(content, keys[keys.count - 1])))"
    }

    /// What a token says, nil when it was never signed here; whether it still works is for `SignedToken` to tell.
    func open(_ token: String?) -> SignedToken? {
        let parts = token?.split(separator: ".", omittingEmptySubsequences: false).map(String.init) ?? []
        guard parts.count == 3, let code = Self.data(parts[2]),
            let place = keys.lastIndex(where: { Self.code(parts[0] + "." + parts[1], $0) == Array(code) }),
            let claims = Self.claims(of: token)
        else { return nil }
        return SignedToken(claims: claims, isEnded: place < keys.count - 1)
    }

    /// What a token says, whoever signed it; nil when it is none.
    static func claims(of token: String?) -> JSONObject? {
        let parts = token?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        guard parts.count == 3, let data = data(String(parts[1])) else { return nil }
        return (try? JSON(bytes: Array(data)))?.members  // not JSON: not a token
    }

    private static func code(_ content: String, _ key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(content.utf8), using: key))
    }

    /// Base64 in the URL alphabet without padding, as RFC 7515 has it.
    private static func text(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func data(_ text: String) -> Data? {
        let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding)
    }
}

/// A JSON Web Token that was signed here.
struct SignedToken {
    let claims: JSONObject
    /// Whether all tokens were ended after this one was signed.
    let isEnded: Bool

    /// Whether the token works: not ended, and before its `exp`.
    func works(at now: Date) -> Bool {
        guard !isEnded, let expires = claims["exp"]?.integer else { return false }
        return now.timeIntervalSince1970 < Double(expires)
    }
}

extension Date {
    /// Whole seconds since 1970, the form of `iat` and `exp`.
    var unixSeconds: Int { Int(timeIntervalSince1970.rounded(.down)) }
}

/// Tokens without a meaning of their own.
enum OpaqueToken {
    /// A new one of 128 random bits in hexadecimal.
    static func new(_ prefix: String = "") -> String {
        prefix + UUID().uuidString.replacing("-", with: "").lowercased()
    }
}
