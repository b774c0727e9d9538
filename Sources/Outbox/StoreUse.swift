import Files
import Foundation

/// A marker file beside a store: it exists, and a run has it open or closed it. Without it, a lost store would look new, and one that lost
/// its log would look sound.
package struct StoreUse {
    private let store: String
    private let file: DurableFile

    package init(of store: String) { (self.store, file) = (store, DurableFile(path: store + ".use")) }

    /// True if there is or was a store: damage may have left only its log, its index or this marker.
    package var isThere: Bool { file.exists || ["", "-wal", "-shm"].contains { access(store + $0, F_OK) == 0 } }
    /// True if the store was deleted or moved away with its log: only this marker is left.
    package var isLost: Bool { file.exists && ["", "-wal", "-shm"].allSatisfy { access(store + $0, F_OK) != 0 } }
    // `try?`: an unreadable marker says nothing.
    package var isOpen: Bool { open.map { (try? file.read()) == $0 } ?? false }

    /// Names the inode, because another file in the store's place is another store.
    private var open: Data? {
        var info = stat()
        return stat(store, &info) == 0 ? Data("open \(info.st_ino)\n".utf8) : nil
    }

    func opened() {
        // `try?`: without the marker, only a removal of the store or its log goes unnoticed.
        if let open, !isOpen { try? file.replace(with: open) }
    }

    package func closed() {
        // `try?`: on a full disk the marker may be missing, but not wrong.
        do { try file.replace(with: Data("closed\n".utf8)) } catch { try? file.remove() }
    }
}
