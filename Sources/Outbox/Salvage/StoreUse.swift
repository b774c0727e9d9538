import Foundation
import Vault

/// What a small file beside a store says of it: that there is one, and whether a run has it open, or had when it ended. Then there is a log,
/// which nobody else removes.
struct StoreUse {
    private let store: String
    private let file: DurableFile

    init(of store: String) { (self.store, file) = (store, DurableFile(path: store + ".use")) }

    /// Whether a store was made here.
    var isKnown: Bool { file.exists }
    // `try?`: what cannot be read says nothing.
    var isOpen: Bool { open.map { (try? file.read()) == $0 } ?? false }

    /// With the number of the file that it is about: it says nothing of one that was put in its place.
    private var open: Data? {
        var info = stat()
        return stat(store, &info) == 0 ? Data("open \(info.st_ino)\n".utf8) : nil
    }

    /// Says that there is a log from now on.
    func opened() {
        // `try?`: without it, only a store or a log that somebody removes is not missed.
        if let open, !isOpen { try? file.replace(with: open) }
    }

    /// Says that there is no log any more.
    func closed() {
        // `try?`: what there is no room for is not said, but nothing untrue may be.
        do { try file.replace(with: Data("closed\n".utf8)) } catch { try? file.remove() }
    }
}
