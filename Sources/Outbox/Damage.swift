import Files
import Foundation
import Synchronization

/// Damage that this run has met. It leaves a mark, so that the next run salvages the store.
package final class Damage: Sendable {
    /// Sent once.
    package let met = Signal()
    private let mark: DurableFile
    private let words = Mutex<String?>(nil)

    init(file: String) { mark = Self.mark(of: file) }

    /// Holds the reason, for the next run.
    package static func mark(of file: String) -> DurableFile { DurableFile(path: file + ".damaged") }

    package var isMet: Bool { reason != nil }
    /// In SQLite's words or ours; nil without damage.
    package var reason: String? { words.withLock(\.self) }

    func meet(_ reason: String) {
        let isFirst = words.withLock { words in
            defer { words = words ?? reason }
            return words == nil
        }
        guard isFirst else { return }
        // `try?`: without the mark, the next run meets the damage itself.
        _ = try? mark.create(with: Data(reason.utf8))
        met.send()
    }
}
