import Files
import Foundation

/// Where the master key of a state directory comes from.
package enum KeySource: Hashable, Sendable {
    /// A systemd credential, `$CREDENTIALS_DIRECTORY/homing.key`; never written by Homing.
    case credential(path: String)
    /// `homing.key` in the state directory, created at the first start.
    case stateDirectory(path: String)

    package var path: String {
        switch self {
        case .credential(let path), .stateDirectory(let path): path
        }
    }

    package init(environment: [String: String], stateDirectory: String) {
        if let directory = environment["CREDENTIALS_DIRECTORY"], DurableFile(path: "\(directory)/homing.key").exists {
            self = .credential(path: "\(directory)/homing.key")
        } else {
            self = .stateDirectory(path: "\(stateDirectory)/homing.key")
        }
    }

    package var isCredential: Bool { if case .credential = self { true } else { false } }

    /// The key; nil if there is none. Throws for a malformed key, and for one in the state directory that other users can read or replace.
    package func read() throws -> VaultKey? {
        let file = DurableFile(path: path)
        guard !file.exists || file.isPlain(upTo: Self.mostBytes) else {
            throw VaultError(
                .malformedKey,
                "\(path) is not a regular file of at most \(Self.mostBytes) bytes; expected 32 random bytes, raw or in base64. "
                    + "Put the right key there.")
        }
        // Limited again: its owner may replace it meanwhile.
        guard let content = try file.read(upTo: Self.mostBytes) else { return nil }
        if !isCredential, let mode = file.mode, mode & 0o077 != 0 {
            throw VaultError(.exposedKey, "Other users can access the key \(path) (mode \(String(mode, radix: 8))). Run: chmod 600 \(path)")
        }
        if !isCredential, !Self.isTrusted(file) {
            let command = "sudo chown \(geteuid()) \(path)"
            throw VaultError(.exposedKey, "The key \(path) belongs to another user, who can replace it. Run: \(command)")
        }
        guard let key = VaultKey(parsing: content) else {
            throw VaultError(
                .malformedKey, "\(path) holds \(content.count) bytes; expected 32 random bytes, raw or in base64. Put the right key there.")
        }
        return key
    }

    /// The size limit of a key file, in bytes.
    package static let mostBytes = 4096

    /// The owner of the folder can replace the key in any case. Root may check the folder of another user's daemon.
    private static func isTrusted(_ key: DurableFile) -> Bool {
        let folder = DurableFile(path: URL(fileURLWithPath: key.path).deletingLastPathComponent().path)
        return key.isOwned() || key.owner == folder.owner
    }
}
