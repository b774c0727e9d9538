import Crypto
import Foundation

/// The SHA-256 of bytes that come in parts. Not for personal data, which could be guessed from it.
package struct RunningDigest: Sendable {
    private var hash = SHA256()

    package init() {}

    package mutating func update(_ part: some DataProtocol) { hash.update(data: part) }

    /// The digest of all parts so far: 32 bytes.
    package var value: [UInt8] { Array(hash.finalize()) }
}
