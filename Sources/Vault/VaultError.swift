/// What keeps the vault from doing its work: one sentence that also says what to do next.
package struct VaultError: Error, Hashable, Sendable, CustomStringConvertible {
    package let code: Code
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    package enum Code: String, Sendable {
        /// State is there, and the key that sealed it is not.
        case keyMissing
        /// The key is not the one that sealed this state.
        case wrongKey
        /// The key file does not hold 32 bytes.
        case malformedKey
        /// Others than its owner may read the key file.
        case exposedKey
        /// The sealed bytes are damaged, or were sealed under another name or key.
        case unreadable
        /// The disk does not give a file's bytes, or there is a folder in its place.
        case unread
        /// The disk is full.
        case noRoom
        /// The file system refused.
        case fileSystem
    }
}
