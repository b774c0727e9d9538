import Files
import Foundation

extension VaultKey {
    /// Finds the key of `stateDirectory`, or creates it in a new directory, and verifies that it sealed the state. Never overwrites a key:
    /// a missing, wrong, malformed or exposed one is an error. Rewrites a missing or damaged check unless `evidence` (whether the key
    /// sealed the stored data) speaks against the key. Throws `VaultError`, or `FileError` if a file cannot be read or written.
    package static func load(
        environment: [String: String], stateDirectory: String, evidence: (Vault) -> Bool? = { _ in nil }
    ) throws -> VaultKey {
        let source = KeySource(environment: environment, stateDirectory: stateDirectory)
        let key = if let found = try read(source) { found } else { try create(source, hasState: hasState(in: stateDirectory)) }
        let (vault, check) = (Vault(key: key), checkFile(in: stateDirectory))
        if try !isChecked(vault, of: source, by: check, evidence) { try KeyCheck(check).write(for: vault) }
        return key
    }

    /// As `load`, without writing; nil if `load` would create a key.
    package static func find(
        environment: [String: String], stateDirectory: String, evidence: (Vault) -> Bool? = { _ in nil }
    ) throws -> VaultKey? {
        let source = KeySource(environment: environment, stateDirectory: stateDirectory)
        guard let key = try read(source) else {
            if hasState(in: stateDirectory) { throw missing(source) }
            return nil
        }
        _ = try isChecked(Vault(key: key), of: source, by: checkFile(in: stateDirectory), evidence)
        return key
    }

    /// The key of `stateDirectory` without its check, for a store that replaces the one of that check; nil if there is none. Throws as `find`.
    package static func unchecked(environment: [String: String], stateDirectory: String) throws -> VaultKey? {
        try read(KeySource(environment: environment, stateDirectory: stateDirectory))
    }

    /// Forgets which key sealed the state; the next `load` checks the key against the stored data.
    package static func removeCheck(in stateDirectory: String) throws(FileError) { try checkFile(in: stateDirectory).remove() }

    private static func checkFile(in stateDirectory: String) -> DurableFile { DurableFile(path: "\(stateDirectory)/homing.key.check") }

    private static func hasState(in stateDirectory: String) -> Bool {
        checkFile(in: stateDirectory).exists
            || ["outbox.sqlite", "outbox.sqlite-wal", "outbox.sqlite.use", "damaged"].contains {
                DurableFile(path: "\(stateDirectory)/\($0)").exists
            }
    }

    /// True if the check shows the right key; false if it must be written again. Throws for a wrong key.
    private static func isChecked(
        _ vault: Vault, of source: KeySource, by check: DurableFile, _ evidence: (Vault) -> Bool?
    ) throws -> Bool {
        switch try KeyCheck(check).proves(vault) {
        case .right: return true
        case .wrong: throw wrong(source, check)
        case .unknown: if evidence(vault) == false { throw wrong(source, check) }
        case .old: guard evidence(vault) == true else { throw wrong(source, check) }
        }
        return false
    }

    private static func read(_ source: KeySource) throws -> VaultKey? {
        let file = DurableFile(path: source.path)
        guard let content = try file.read() else { return nil }
        if case .stateDirectory(let path) = source, let mode = file.mode, mode & 0o077 != 0 {
            throw VaultError(.exposedKey, "Other users can access the key \(path) (mode \(String(mode, radix: 8))). Run: chmod 600 \(path)")
        }
        if case .stateDirectory(let path) = source, !isTrusted(file) {
            let command = "sudo chown \(geteuid()) \(path)"
            throw VaultError(.exposedKey, "The key \(path) belongs to another user, who can replace it. Run: \(command)")
        }
        guard let key = VaultKey(parsing: content) else {
            throw VaultError(
                .malformedKey,
                "\(source.path) holds \(content.count) bytes; expected 32 random bytes, raw or in base64. Put the right key there.")
        }
        return key
    }

    /// The owner of the folder can replace the key in any case. Root may check the folder of another user's daemon.
    private static func isTrusted(_ key: DurableFile) -> Bool {
        let folder = DurableFile(path: URL(fileURLWithPath: key.path).deletingLastPathComponent().path)
        return key.isOwned() || key.owner == folder.owner
    }

    private static func create(_ source: KeySource, hasState: Bool) throws -> VaultKey {
        guard !hasState else { throw missing(source) }
        let key = VaultKey()
        if try DurableFile(path: source.path).create(with: Data((key.bytes.base64EncodedString() + "\n").utf8)) { return key }
        // Another process created it meanwhile, so that key counts.
        guard let theirs = try read(source) else { throw VaultError(.keyMissing, "\(source.path) disappeared. Start the daemon again.") }
        return theirs
    }

    private static func missing(_ source: KeySource) -> VaultError {
        VaultError(
            .keyMissing,
            "\(source.path) is missing. Without it, Homing cannot decrypt the stored data. Restore the key from your backup, "
                + "or move the state directory away to start with a new one.")
    }

    private static func wrong(_ source: KeySource, _ check: DurableFile) -> VaultError {
        VaultError(
            .wrongKey,
            "\(source.path) is not the key that this state directory was encrypted with (checked against \(check.path)). "
                + "Put the old key back from your backup. Nothing was sent or changed.")
    }
}

/// `homing.key.check`: a sealed constant, and a checksum that distinguishes damage from another key.
private struct KeyCheck {
    private let file: DurableFile

    init(_ file: DurableFile) { self.file = file }

    enum Answer {
        case right, wrong
        /// Missing, or changed since it was written.
        case unknown
        /// Does not open, and has the old form without a checksum.
        case old
    }

    func proves(_ vault: Vault) throws(FileError) -> Answer {
        guard let content = try file.readOrNothing() else { return .unknown }
        let sealed = content.prefix(Self.sealedSize)
        // `try?`: the reason does not matter.
        if (try? vault.open(Data(sealed), as: Self.name)) == Self.proof { return .right }
        if content.count == Self.sealedSize { return .old }
        return content == sealed + Vault.digest(Data(sealed)) ? .wrong : .unknown
    }

    func write(for vault: Vault) throws {
        let sealed = try vault.seal(Self.proof, as: Self.name)
        try file.replace(with: sealed + Vault.digest(sealed))
    }

    private static let proof = Data("homing".utf8)
    private static let name = "key-check"
    /// Bytes: the plain text and 28 more.
    private static let sealedSize = proof.count + 28
}
