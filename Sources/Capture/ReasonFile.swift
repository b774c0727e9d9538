import Files
import Foundation
import SyncModel
import SystemPackage

/// The `.reason` file beside a refused file: why it was refused, and on a last line where it was dropped.
struct ReasonFile {
    /// A sentence.
    var reason: String
    /// Below `new/`, in one line; nil if it was not dropped there.
    var place: String?

    private static let ending = ".reason"

    /// Its name beside the refused file `name`.
    static func name(of name: String) -> FilePath { FilePath(name + ending) }

    /// True for the name of a `.reason` file. By bytes: a character can consist of the full stop and another one before it.
    static func isName(_ name: String) -> Bool { name.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) }

    var content: Data { Data((reason + "\n" + (place.map { Self.start + $0 + Self.end + "\n" } ?? "")).utf8) }

    /// The place of the refused file `name`. Nil if its `.reason` file has none or cannot be read.
    static func place(of name: String, in refused: Folder) -> String? {
        // `try?`: only the advice is less exact then.
        guard let content = try? refused.open(Self.name(of: name)).content(atMost: 64 << 10),
            let last = content.split(separator: UInt8(ascii: "\n")).last.map({ String(decoding: $0, as: UTF8.self) }),
            last.hasPrefix(start), last.hasSuffix(end)
        else { return nil }
        return String(last.dropFirst(start.count).dropLast(end.count)).legible
    }

    private static let (start, end) = ("It was dropped as ‘new/", "’.")
}
