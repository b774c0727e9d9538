import Files
import Foundation
import SyncModel
import SystemPackage

/// `owners/` records the accounts of files in `taken/` and `new/`.
extension SpoolFolders {
    private var presentOwner: FilePath { owners / "present" }

    /// Durable before a file name uses the key.
    func register(_ owner: Destination) throws(FileError) -> OwnerKey {
        let key = OwnerKey(owner)
        if self.owner(key) == nil { try replace(owners / key.text, with: owner.written) }
        return key
    }

    func owner(_ key: OwnerKey) -> Destination? {
        // `try?`: an unreadable record counts as unknown.
        (try? content(of: owners / key.text, atMost: 1 << 20)).flatMap { Destination(written: $0, for: key) }
    }

    /// The owner of new files in `new/`. Nil while signed out.
    var present: Destination? {
        // `try?`: without a readable account, files in `new/` are set aside.
        guard let content = try? content(of: presentOwner, atMost: 64) else { return nil }
        return OwnerKey(String(decoding: content, as: UTF8.self)).flatMap(owner)
    }

    func setPresent(_ owner: Destination?) throws(FileError) {
        if let owner { return try replace(presentOwner, with: Data(try register(owner).text.utf8)) }
        do { try unlink(presentOwner) } catch { guard error.code == .noSuchFileOrDirectory else { throw error } }
        try sync([owners])
    }

    private var unfinishedFiles: FilePath { owners / "unfinished" }

    /// The last saved content.
    var unfinished: Data {
        // `try?`: unreadable counts as empty.
        (try? content(of: unfinishedFiles, atMost: 64 << 20)) ?? Data()
    }

    func setUnfinished(_ written: Data) throws(FileError) { try replace(unfinishedFiles, with: written) }

    /// Atomic and durable.
    private func replace(_ path: FilePath, with content: Data) throws(FileError) {
        let (folder, name) = try place(of: path)
        try folder.replace(name, with: content, via: Self.draft)
    }
}
