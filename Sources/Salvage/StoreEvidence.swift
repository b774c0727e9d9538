import Foundation
import GRDB
import Outbox
import SyncModel
import Vault

package struct StoreEvidence {
    private let pages: StorePages

    /// - Parameter file: read without SQLite.
    package init(file: String) throws(OutboxError) { pages = try StorePages(path: file) }

    /// True if `vault` has the key of the rows; nil if too few rows tell another key from damage.
    package func isSealed(by vault: Vault) -> Bool? {
        var tried = 0
        for number in 1...max(1, pages.count) where !pages.isPointerMap(number) {
            guard let bytes = pages.page(number), let page = TreePage(bytes, number: number, of: pages) else { continue }
            for row in page.rows {
                guard let (identity, sealed) = Self.sealed(FoundRow(row, in: page.kind)) else { continue }
                // `try?`: nil means that it does not open.
                if (try? vault.open(sealed, as: identity)) != nil { return true }
                tried += 1
                if tried == Self.most { return false }
            }
        }
        return tried < Self.least ? nil : false
    }

    private static func sealed(_ row: FoundRow?) -> (identity: String, Data)? {
        switch row {
        case .content(_, let id, let sealed): (id.description, sealed)
        case .session(let backend, let sealed, _): (StoredSession.identity(backend), sealed)
        default: nil
        }
    }

    /// Unreadable rows that prove another key: damage does not hit so many rows and spare all others.
    private static let least = 3
    private static let most = 1000
}
