import Foundation
import Vault

/// What the stored sessions say of the key that sealed them.
package struct SessionEvidence {
    private let directory: String

    package init(directory: String) { self.directory = directory }

    /// Whether one of them opens with the vault's key. That none does says nothing: there may be none, or they may be damaged.
    package func isSealed(by vault: Vault) -> Bool {
        // `try?`: a folder that is not there has no sessions.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.contains { SessionFile(name: $0, in: directory, vault: vault)?.opens == true }
    }
}
