import Foundation
import Outbox

/// What a store tells about its keys, read without SQLite.
package struct StoreEvidence {
    private let pages: StorePages

    package init(file: String) throws(OutboxError) { pages = try StorePages(path: file) }

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
