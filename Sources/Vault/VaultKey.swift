import Crypto
import Foundation

/// The 256-bit key of a state directory. Prints as `[secret]`.
package struct VaultKey: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    let bytes: Data

    /// A random key.
    package init() { bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) } }

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

    static let size = 32

    package var description: String { "[secret]" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
