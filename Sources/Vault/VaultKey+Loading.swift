import Foundation

extension VaultKey {
    /// Finds the key of `stateDirectory`, or makes it where the directory is new, and proves that it is the one that sealed the state.
    ///
    /// Overwrites nothing: a missing, wrong, malformed or exposed key is an error.
    package static func load(environment: [String: String], stateDirectory: String) throws(VaultError) -> VaultKey {
        let source = KeySource(environment: environment, stateDirectory: stateDirectory)
        let check = DurableFile(path: "\(stateDirectory)/homing.key.check")
        let hasState = check.exists || DurableFile(path: "\(stateDirectory)/outbox.sqlite").exists
        let key = if let found = try read(source) { found } else { try create(source, hasState: hasState) }
        try key.prove(against: check, source: source)
        return key
    }

    private static func read(_ source: KeySource) throws(VaultError) -> VaultKey? {
        let file = DurableFile(path: source.path)
        guard let content = try file.read() else { return nil }
        if case .stateDirectory(let path) = source, let mode = file.mode, mode & 0o077 != 0 {
            throw VaultError(.exposedKey, "Others can read the key \(path) (mode \(String(mode, radix: 8))). Run: chmod 600 \(path)")
        }
        guard let key = VaultKey(parsing: content) else {
            throw VaultError(
                .malformedKey,
                "\(source.path) holds \(content.count) bytes; expected 32 random bytes, raw or in base64. Put the right key there.")
        }
        return key
    }

    private static func create(_ source: KeySource, hasState: Bool) throws(VaultError) -> VaultKey {
        guard !hasState else {
            throw VaultError(
                .keyMissing,
                "\(source.path) is missing, and without it what is stored beside it cannot be read. Restore the key from your backup, "
                    + "or move the state directory away to begin a new one.")
        }
        let key = VaultKey()
        if try DurableFile(path: source.path).create(with: Data((key.bytes.base64EncodedString() + "\n").utf8)) { return key }
        // Somebody made it in the meantime: theirs is the key.
        guard let theirs = try read(source) else { throw VaultError(.keyMissing, "\(source.path) vanished. Start again.") }
        return theirs
    }

    private func prove(against check: DurableFile, source: KeySource) throws(VaultError) {
        let vault = Vault(key: self)
        guard let sealed = try check.read() else {
            return try check.replace(with: vault.seal(Self.proof, as: Self.proofName))
        }
        // `try?`: why it does not open is all the same, the key is wrong.
        guard (try? vault.open(sealed, as: Self.proofName)) == Self.proof else {
            throw VaultError(
                .wrongKey,
                "\(source.path) is not the key that this state directory was sealed with (checked against \(check.path)). "
                    + "Put the old key back; nothing was changed.")
        }
    }

    private static let proof = Data("homing".utf8)
    private static let proofName = "key-check"
}
