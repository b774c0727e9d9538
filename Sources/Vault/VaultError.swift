/// The description is one sentence with the next step.
package struct VaultError: Error, Hashable, Sendable, CustomStringConvertible {
    package let code: Code
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    package enum Code: String, Sendable {
        /// Sealed state without its key.
        case keyMissing
        /// The key is not the one that sealed this state.
        case wrongKey
        /// The key file does not hold 32 bytes.
        case malformedKey
        /// Users other than the owner can read the key file.
        case exposedKey
        /// The key cannot be changed as things are.
        case unchangeable
        /// The bytes are damaged, or sealed under another name or key.
        case unreadable
    }
}
