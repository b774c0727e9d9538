import Crypto
import Foundation

/// A 256-bit key: the master key of a state directory, or a key of its keyring. Prints as `[secret]`.
package struct VaultKey: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    let bytes: Data

    /// A random key.
    package init() { bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) } }

    /// 32 bytes.
    init(bytes: Data) { self.bytes = bytes }

    /// Parses 32 raw bytes, or their base64 form with surrounding white space.
    package init?(parsing content: Data) {
        if content.count == Self.size {
            bytes = content
        } else if let decoded = Data(
            base64Encoded: String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)),
            decoded.count == Self.size
        {
            bytes = decoded
        } else {
            return nil
        }
    }

    /// The content of a key file: base64 and a line end.
    package var content: Data { Data((bytes.base64EncodedString() + "\n").utf8) }

    /// A name of the key that tells nothing about it, such as `3f2a-91c0-5d77-e004`.
    package var fingerprint: String {
        let code = HMAC<SHA256>.authenticationCode(for: Data("homing.fingerprint".utf8), using: SymmetricKey(data: bytes))
        let digits = Array(Data(Data(code).prefix(8)).hex)
        return stride(from: 0, to: digits.count, by: 4).map { String(digits[$0..<$0 + 4]) }.joined(separator: "-")
    }

    static let size = 32

    package var description: String { "[secret]" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
