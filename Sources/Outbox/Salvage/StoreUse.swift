import Foundation
import Vault

/// What a small file beside a store says of it: that there is one, and whether a run has it open, or had when it ended. Then there is a log,
/// which nobody else removes.
struct StoreUse {
    private let file, log: DurableFile
    private static let open = Data("open\n".utf8)

    init(of store: String) { (file, log) = (DurableFile(path: store + ".use"), DurableFile(path: store + "-wal")) }

    /// Whether a store was made here.
    var isKnown: Bool { file.exists }
    // `try?`: what cannot be read says nothing.
    var isOpen: Bool { (try? file.read()) == Self.open }

    /// Says that there is a log from now on.
    func opened() {
        // `try?`: without it, only a store or a log that somebody removes is not missed.
        if !isOpen { try? file.replace(with: Self.open) }
    }

    /// Says that there is no log any more.
    func closed() {
        // `try?`: what there is no room for is not said, but nothing untrue may be.
        do { try file.replace(with: Data("closed\n".utf8)) } catch { try? file.remove() }
    }

    /// Says so where SQLite has brought the log in and removed it, as it does where the last connection closes that may write.
    func closedUnlessThereIsALog() { if isOpen, !log.exists { closed() } }
}
