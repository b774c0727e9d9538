import Foundation
import Synchronization
import Vault

/// Whether this run has met damage in its store. The first time leaves a mark beside the file, by which the next run knows that it has to
/// salvage what it can.
package final class Damage: Sendable {
    /// Told once.
    package let met = Signal()
    private let mark: DurableFile
    private let words = Mutex<String?>(nil)

    init(file: String) { mark = DurableFile(path: StoreRepair.mark(of: file)) }

    package var isMet: Bool { reason != nil }
    /// What was wrong, in SQLite's words or ours; nil while nothing is.
    package var reason: String? { words.withLock(\.self) }

    func meet(_ reason: String) {
        let isFirst = words.withLock { words in
            defer { words = words ?? reason }
            return words == nil
        }
        guard isFirst else { return }
        // `try?`: on a disk that takes nothing, the next run meets the damage as this one has.
        _ = try? mark.create(with: Data(reason.utf8))
        met.send()
    }
}
