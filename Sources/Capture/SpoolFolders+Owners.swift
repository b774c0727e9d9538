import Foundation
import SyncModel
import SystemPackage

/// `owners/`: whose the files in `taken/` are, by the key in their names, and whose the files in `new/` are.
extension SpoolFolders {
    private var presentOwner: FilePath { owners / "present" }

    /// Notes durably which account a key stands for, before anything is called by it.
    func register(_ owner: Destination) throws(Errno) -> OwnerKey {
        let key = OwnerKey(owner)
        if self.owner(key) == nil { try replace(owners / key.text, with: owner.written) }
        return key
    }

    /// Nil for a key that was never registered here.
    func owner(_ key: OwnerKey) -> Destination? {
        // `try?`: one that cannot be read is not known.
        (try? content(of: owners / key.text, atMost: 1 << 20)).flatMap { Destination(written: $0, for: key) }
    }

    /// The account that what appears in `new/` belongs to: all that was there before has been taken or set aside. Nil for none.
    var present: Destination? {
        // `try?`: what cannot be read names no account, and then what lies there is set aside.
        guard let content = try? content(of: presentOwner, atMost: 64) else { return nil }
        return OwnerKey(String(decoding: content, as: UTF8.self)).flatMap(owner)
    }

    /// Durable when it returns.
    func setPresent(_ owner: Destination?) throws(Errno) {
        if let owner { return try replace(presentOwner, with: Data(try register(owner).text.utf8)) }
        do { try unlink(presentOwner) } catch { guard error == .noSuchFileOrDirectory else { throw error } }
        try sync([owners])
    }

    private var unfinishedFiles: FilePath { owners / "unfinished" }

    /// The unfinished files of other accounts than the present one, as they were last written down.
    var unfinished: Data {
        // `try?`: one that cannot be read says nothing.
        (try? content(of: unfinishedFiles, atMost: 64 << 20)) ?? Data()
    }

    /// Durable when it returns.
    func setUnfinished(_ written: Data) throws(Errno) { try replace(unfinishedFiles, with: written) }

    /// As a whole or not at all, wherever a crash comes.
    private func replace(_ path: FilePath, with content: Data) throws(Errno) {
        let (folder, name) = try place(of: path)
        try folder.write(content, to: Self.draft, mode: 0o600)
        try folder.replace(name, with: Self.draft)
        try folder.sync()
    }
}
