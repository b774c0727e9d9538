import Files
import Foundation

/// A marker file beside a store: it exists, how far it has come, and a run has it open or closed it. Without it, a lost store would look
/// new, one that lost its log would look sound, and an older copy would look like the last state.
package struct StoreUse: Sendable {
    private let store: String
    private let file: DurableFile

    package init(of store: String) { (self.store, file) = (store, DurableFile(path: store + ".use")) }

    /// True if there is or was a store: damage may have left only its log, its index or this marker.
    package var isThere: Bool { file.exists || ["", "-wal", "-shm"].contains { access(store + $0, F_OK) == 0 } }
    /// True if the store was deleted or moved away with its log: only this marker is left.
    package var isLost: Bool { file.exists && ["", "-wal", "-shm"].allSatisfy { access(store + $0, F_OK) != 0 } }
    /// True if the store must have a log.
    package var isOpen: Bool { mark?.inode.map { $0 == inode } ?? false }

    /// Nil if the marker is missing or damaged, and so says nothing.
    package var mark: StoreMark? {
        // `try?`: as if it were missing.
        (try? file.read(upTo: 1024)).flatMap { StoreMark($0) }
    }

    /// The inode of the store's file, because another file in its place is another store; nil without one.
    package var inode: UInt64? {
        var info = stat()
        return stat(store, &info) == 0 ? UInt64(info.st_ino) : nil
    }

    /// A run has the store open; see `RunMark`. False if the marker could not be written.
    ///
    /// - Parameter inode: of the file that the run has open.
    @discardableResult
    func opened(in epoch: Int64, inode: UInt64?) -> Bool {
        guard let inode else { return false }
        // `try?`: without the marker, a removal of the store or its log, or an older copy of it, goes unnoticed.
        return (try? file.replace(with: StoreMark(inode: inode, epoch: epoch).content)) != nil
    }

    /// At the end of a run.
    ///
    /// - Parameter hasLog: the log could not be emptied.
    func stopped(in epoch: Int64, at event: Int64, hasLog: Bool) {
        guard hasLog else { return closed(StoreMark(epoch: epoch, event: event)) }
        // `try?`: the marker of the run stays, and is right.
        if let inode { try? file.replace(with: StoreMark(inode: inode, epoch: epoch, event: event).content) }
    }

    /// The store is one file, without a log. Without `mark`, nothing is known of it.
    package func closed(_ mark: StoreMark = StoreMark(epoch: 0)) {
        // `try?`: on a full disk the marker may be missing, but not wrong.
        do { try file.replace(with: mark.content) } catch { try? file.remove() }
    }
}
