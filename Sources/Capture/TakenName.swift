import Foundation
import SyncModel

/// A file's name in `taken/`: it carries all that must not be lost if the daemon dies between taking the file and storing it, so that the
/// file is stored once, and for the account that was signed in when it was taken.
struct TakenName: Equatable {
    var id: MutationID
    var account: String
    /// The folder below `new/users`, where there was one.
    var folder: String?
    /// The file's own name, shortened where it is very long.
    var original: String

    init(id: MutationID, account: String, folder: String?, original: String) {
        self.id = id
        self.account = account
        self.folder = folder
        self.original = original
    }

    init?(_ text: String) {
        let parts = text.split(separator: "~", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let id = MutationID(parts[0]), let account = parts[1].removingPercentEncoding,
            let folder = parts[2].removingPercentEncoding
        else { return nil }
        self.init(id: id, account: account, folder: folder.isEmpty ? nil : folder, original: parts[3])
    }

    var text: String {
        [id.description, Self.escaped(account), Self.escaped(folder ?? ""), original.keepingItsEnd(bytes: 100)].joined(separator: "~")
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-_.@"))) ?? ""
    }
}

extension String {
    /// The text without as many characters from its start as it takes to have at most `limit` bytes.
    func keepingItsEnd(bytes limit: Int) -> String {
        var short = self[...]
        while short.utf8.count > limit { short.removeFirst() }
        return String(short)
    }
}
