import Foundation
import SyncModel

/// A file's name in `taken/` and `unclaimed/`: it carries all that must not be lost if the daemon dies between taking the file and storing it,
/// so that the file is stored once, at the backend that was meant, and for the account that it belongs to.
struct TakenName: Equatable {
    var id: MutationID
    /// Nil while no account has claimed it.
    var owner: OwnerKey?
    /// The folder below `new/users`, where there was one.
    var folder: String?
    /// The file's own name, shortened where it is very long or that of its folder is; what was not UTF-8 in it is U+FFFD.
    var original: String

    init(id: MutationID, owner: OwnerKey?, folder: String?, original: String) {
        self.id = id
        self.owner = owner
        self.folder = folder
        self.original = original
    }

    init?(_ text: String) {
        // By bytes: an accent at the start of a file's name makes one character with the ~ before it.
        let parts = text.utf8.split(separator: UInt8(ascii: "~"), maxSplits: 3, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 4, let id = MutationID(parts[0]), let folder = parts[2].removingPercentEncoding,
            // Not names that a file could have.
            !["", ".", ".."].contains(parts[3])
        else { return nil }
        let owner = OwnerKey(parts[1])
        guard owner != nil || parts[1].isEmpty else { return nil }
        self.init(id: id, owner: owner, folder: folder.isEmpty ? nil : folder, original: parts[3])
    }

    var text: String {
        let start = [id.description, owner?.text ?? "", Self.escaped(folder ?? "")].map { $0 + "~" }.joined()
        let room = min(max(SpoolFolders.longestName - start.utf8.count, 40), 100)
        return start + original.keepingItsEnd(bytes: room)
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-_.@"))) ?? ""
    }
}

extension String {
    /// The text without as much of its start as it takes to have at most `limit` bytes.
    func keepingItsEnd(bytes limit: Int) -> String {
        // Not by characters: one character can have any number of bytes, and nothing would be left.
        String(decoding: utf8.suffix(limit).drop { utf8.count > limit && $0 & 0xC0 == 0x80 }, as: UTF8.self)
    }
}
