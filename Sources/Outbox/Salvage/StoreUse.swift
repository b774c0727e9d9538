import Files
import Foundation

/// A marker file beside a store: that it exists, and whether a run has it open or ended without closing it. An open store must have a log.
struct StoreUse {
    private let store: String
    private let file: DurableFile

    init(of store: String) { (self.store, file) = (store, DurableFile(path: store + ".use")) }

    var isKnown: Bool { file.exists }
    // `try?`: an unreadable marker says nothing.
    var isOpen: Bool { open.map { (try? file.read()) == $0 } ?? false }

    /// Names the inode: it says nothing about another file in the store's place.
    private var open: Data? {
        var info = stat()
        return stat(store, &info) == 0 ? Data("open \(info.st_ino)\n".utf8) : nil
    }

    func opened() {
        // `try?`: without the marker, only a removal of the store or its log goes unnoticed.
        if let open, !isOpen { try? file.replace(with: open) }
    }

    func closed() {
        // `try?`: on a full disk the marker may be missing, but not wrong.
        do { try file.replace(with: Data("closed\n".utf8)) } catch { try? file.remove() }
    }
}
