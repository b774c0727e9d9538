import Crypto
import Foundation

/// Issues JSON Web Tokens with HS256 (RFC 7519). Replacing the key invalidates all tokens at once.
struct TokenSigner: Sendable {
    private let accounts: [SandboxAccount]
    /// The claim with the account's identifier.
    private let claim: String
    /// The newest is last; older keys only identify the account of an ended token.
    private var keys = [SymmetricKey(size: .bits256)]

    init(_ accounts: [SandboxAccount], claim: String) {
        self.accounts = accounts
        self.claim = claim
    }

    mutating func endTokens() { keys.append(SymmetricKey(size: .bits256)) }

    /// A token with the account, `exp` and these claims, and unless `isPlain` with `iat` and `jti`; equal claims give equal tokens.
    func token(for account: SandboxAccount, seconds: Int, at now: Date, isPlain: Bool = false, _ more: JSONObject = [:]) -> String {
        var claims = more
        claims[claim] = .string(account.id)
        claims["exp"] = .int(now.unixSeconds + seconds)
        if !isPlain {
            claims["iat"] = .int(now.unixSeconds)
            claims["jti"] = .string(OpaqueToken.new())
        }
        return sign(claims)
    }

    /// The account of a valid or ended token; nil if none of the keys signed it.
    func owner(of token: String?) -> SandboxAccount? { accounts.account(id: open(token)?.claims[claim]?.text) }

    /// The account of a token whose key is current and whose `exp` has not passed.
    func account(of token: String?, at now: Date) -> SandboxAccount? {
        guard let token = open(token), !token.isEnded, let expires = token.claims["exp"]?.integer,
            now.timeIntervalSince1970 < Double(expires)
        else { return nil }
        return accounts.account(id: token.claims[claim]?.text)
    }

    private func sign(_ claims: JSONObject) -> String {
        let header: JSON = ["alg": "HS256", "typ": "JWT"]
        let content = "\(header.bytes.base64URL).\(JSON.object(claims).bytes.base64URL)"
        return "\(content).\(Self.code(content, keys[keys.count - 1]).base64URL)"
    }

    /// The claims; nil if none of the keys signed the token. `isEnded` if that key was replaced.
    func open(_ token: String?) -> (claims: JSONObject, isEnded: Bool)? {
        let parts = token?.split(separator: ".", omittingEmptySubsequences: false).map(String.init) ?? []
        guard parts.count == 3, let code = Self.data(parts[2]),
            let place = keys.lastIndex(where: { Self.code(parts[0] + "." + parts[1], $0) == Array(code) }),
            let claims = Self.claims(of: token)
        else { return nil }
        return (claims, place < keys.count - 1)
    }

    /// The claims, without checking the signature; nil if the token is malformed.
    static func claims(of token: String?) -> JSONObject? {
        let parts = token?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        guard parts.count == 3, let data = data(String(parts[1])) else { return nil }
        return (try? JSON(bytes: Array(data)))?.members  // `try?`: a payload that is not JSON has no claims
    }

    private static func code(_ content: String, _ key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(content.utf8), using: key))
    }

    private static func data(_ text: String) -> Data? {
        let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding)
    }
}

extension Sequence<UInt8> {
    /// Base64url without padding (RFC 7515).
    var base64URL: String {
        Data(self).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
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
