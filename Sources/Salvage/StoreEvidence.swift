import Foundation
import Glibc
import Outbox

/// The information about its keys in a store, read without SQLite.
package struct StoreEvidence {
    private let pages: StorePages

    package init(file: String) throws(OutboxError) { pages = try StorePages(path: file) }

    /// The copy of the keyring that SQLite finds; nil if it cannot read the store without changing or copying it.
    package static func keptKeyring(file: String, isInUse: Bool) -> Data? {
        guard isInUse || access(file + "-wal", F_OK) != 0 else { return nil }
        // `try?`: a damaged store is read without SQLite.
        return (try? StoreReader(file: file, isInUse: isInUse).read { try Outbox.copyOfKeyring($0) }) ?? nil
    }

    /// The readable copies of the keyring, as in `WrappedKeyring`: the newest first, then earlier ones in a damaged store.
    package var keyrings: [Data] {
        var found: [Data] = []
        for trust in StorePages.Trust.allCases {
            for number in 1...max(1, pages.count) where !pages.isPointerMap(number) {
                guard let bytes = pages.page(number, trust), let page = TreePage(bytes, number: number, of: pages) else { continue }
                for row in page.rows {
                    if case .keyring(let wrapped)? = FoundRow(row, in: page.kind) { found.append(wrapped) }
                }
            }
        }
        return found
    }
}
