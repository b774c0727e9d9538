import Crypto
import Foundation

/// Signs JSON Web Tokens with HS256 (RFC 7519). Replacing the key invalidates all tokens at once.
struct TokenSigner: Sendable {
    /// The newest is last; older keys only identify the account of an ended token.
    private var keys = [SymmetricKey(size: .bits256)]

    mutating func endTokens() { keys.append(SymmetricKey(size: .bits256)) }

    /// Signs these claims; equal claims give equal tokens.
    func sign(_ claims: JSONObject) -> String {
        let header: JSON = ["alg": "HS256", "typ": "JWT"]
        let content = "\(Self.text(header.bytes)).\(Self.text(JSON.object(claims).bytes))"
        return "\(content).\(Self.text(Self.code(content, keys[keys.count - 1])))"
    }

    /// The token if any of the keys signed it, even if it is no longer valid.
    func open(_ token: String?) -> SignedToken? {
        let parts = token?.split(separator: ".", omittingEmptySubsequences: false).map(String.init) ?? []
        guard parts.count == 3, let code = Self.data(parts[2]),
            let place = keys.lastIndex(where: { Self.code(parts[0] + "." + parts[1], $0) == Array(code) }),
            let claims = Self.claims(of: token)
        else { return nil }
        return SignedToken(claims: claims, isEnded: place < keys.count - 1)
    }

    /// The claims of a token without checking its signature; nil if it is malformed.
    static func claims(of token: String?) -> JSONObject? {
        let parts = token?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        guard parts.count == 3, let data = data(String(parts[1])) else { return nil }
        return (try? JSON(bytes: Array(data)))?.members  // `try?`: a payload that is not JSON has no claims
    }

    private static func code(_ content: String, _ key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(content.utf8), using: key))
    }

    /// Base64url without padding (RFC 7515).
    private static func text(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func data(_ text: String) -> Data? {
        let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding)
    }
}

struct SignedToken {
    let claims: JSONObject
    /// True if its key was replaced.
    let isEnded: Bool

    /// True if its key is current and its `exp` has not passed.
    func works(at now: Date) -> Bool {
        guard !isEnded, let expires = claims["exp"]?.integer else { return false }
        return now.timeIntervalSince1970 < Double(expires)
    }
}

extension Date {
    /// Whole seconds since 1970, as in `iat` and `exp`.
    var unixSeconds: Int { Int(timeIntervalSince1970.rounded(.down)) }
}

enum OpaqueToken {
    /// A random token of 32 hexadecimal digits.
    static func new(_ prefix: String = "") -> String {
        prefix + UUID().uuidString.replacing("-", with: "").lowercased()
    }
}
