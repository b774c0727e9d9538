import Foundation
import SyncModel

/// A file name in `taken/` and `unclaimed/` with the id and account, so that a crash cannot store the file twice or for another account
/// (NamesInTaken).
struct TakenName: Equatable {
    var id: MutationID
    /// Nil until claimed.
    var owner: OwnerKey?
    /// Below `new/users`, if any.
    var folder: String?
    /// Shortened if too long; invalid UTF-8 becomes U+FFFD.
    var original: String

    init(id: MutationID, owner: OwnerKey?, folder: String?, original: String) {
        self.id = id
        self.owner = owner
        self.folder = folder
        self.original = original
    }

    init?(_ text: String) {
        // On bytes: an accent at the start of the name would merge with the `~`.
        let parts = text.utf8.split(separator: UInt8(ascii: "~"), maxSplits: 3, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 4, let id = MutationID(parts[0]), let folder = parts[2].removingPercentEncoding,
            // No file can have these names.
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

    /// Where it was dropped, below `new/`.
    var place: String { SpoolFolders.place(of: original, in: folder) }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-_.@"))) ?? ""
    }
}

extension String {
    /// Drops bytes from the start.
    func keepingItsEnd(bytes limit: Int) -> String {
        // On bytes: a single character can exceed any limit.
        String(decoding: utf8.suffix(limit).drop { utf8.count > limit && $0 & 0xC0 == 0x80 }, as: UTF8.self)
    }
}
