import Foundation
import Sandbox

/// The claims of a JSON Web Token, read without a signature check.
struct TokenClaims {
    let claims: JSON
    var issued: Int { claims["iat"]?.integer ?? 0 }
    var expires: Int { claims["exp"]?.integer ?? 0 }

    struct Unreadable: Error {
        let token: String?
    }

    init(_ token: String?) throws {
        let parts = token?.split(separator: ".") ?? []
        guard parts.count == 3, let data = Data(base64URL: String(parts[1])) else { throw Unreadable(token: token) }
        claims = try JSON(bytes: Array(data))
    }
}

extension Data {
    init?(base64URL text: String) {
        let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
        self.init(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding)
    }
}
