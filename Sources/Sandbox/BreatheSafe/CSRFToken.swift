import Foundation

/// Rails' masked CSRF tokens: a random mask and the XOR of the mask with the session's 32-byte secret.
enum CSRFToken {
    static func secret() -> [UInt8] { (0..<32).map { _ in UInt8.random(in: .min ... .max) } }

    static func masked(_ secret: [UInt8]) -> String {
        let mask = Self.secret()
        return Data(mask + zip(mask, secret).map { $0 ^ $1 }).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    static func isValid(_ token: String, for secret: [UInt8]) -> Bool {
        guard let data = Data(base64Encoded: token.replacing("-", with: "+").replacing("_", with: "/") + "=="), data.count == 64
        else { return false }
        let bytes = Array(data)
        return zip(bytes.prefix(32), bytes.suffix(32)).map { $0 ^ $1 } == secret
    }
}
