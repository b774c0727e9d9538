import SyncModel
import Synchronization

/// The pages on which rows were found, to look there first. A list may have changed since. Holds no names.
final class RosterPlaces: Sendable {
    private let pages = Mutex<[RosterKey: [RosterID: Int]]>([:])
    /// The largest number of rows of a list.
    private static let most = 10_000

    /// Counted from 1.
    func page(of id: RosterID, in key: RosterKey) -> Int? { pages.withLock { $0[key]?[id] } }

    func note(_ page: Int, of id: RosterID, in key: RosterKey) {
        pages.withLock { pages in
            if pages[key]?.count ?? 0 >= Self.most { pages[key] = nil }
            pages[key, default: [:]][id] = page
        }
    }

    func forget(_ backend: String) { pages.withLock { pages in pages = pages.filter { $0.key.destination.backend != backend } } }
}
