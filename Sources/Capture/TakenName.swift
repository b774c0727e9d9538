import Foundation
import SyncModel

/// A file's name in `taken/`: it carries all that must not be lost if the daemon dies between taking the file and storing it, so that the
/// file is stored once, at the backend that was meant, and for the account that was signed in there when it was taken.
struct TakenName: Equatable {
    var id: MutationID
    /// The profile's name.
    var backend: String
    var account: AccountID
    /// The folder below `new/users`, where there was one.
    var folder: String?
    /// The file's own name, shortened where it is very long; what was not UTF-8 in it is U+FFFD.
    var original: String

    init(id: MutationID, backend: String, account: AccountID, folder: String?, original: String) {
        self.id = id
        self.backend = backend
        self.account = account
        self.folder = folder
        self.original = original
    }

    init?(_ text: String) {
        // By bytes: an accent at the start of a file's name makes one character with the ~ before it.
        let parts = text.utf8.split(separator: UInt8(ascii: "~"), maxSplits: 4, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 5, let id = MutationID(parts[0]), let backend = parts[1].removingPercentEncoding,
            let account = parts[2].removingPercentEncoding, let folder = parts[3].removingPercentEncoding,
            // Not names that a file could have.
            !["", ".", ".."].contains(parts[4])
        else { return nil }
        self.init(id: id, backend: backend, account: AccountID(account), folder: folder.isEmpty ? nil : folder, original: parts[4])
    }

    var text: String {
        ([id.description] + [backend, account.rawValue, folder ?? ""].map(Self.escaped) + [original.keepingItsEnd(bytes: 100)])
            .joined(separator: "~")
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
