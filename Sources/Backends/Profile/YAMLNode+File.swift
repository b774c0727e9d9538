import Foundation
import Glibc
import SyncModel

extension YAMLNode {
    /// In bytes; over a hundred times the largest shipped file.
    private static let largestFile = 1 << 20

    /// Takes only a regular file (a pipe could block) of at most 1 MiB in UTF-8.
    package static func text(of path: String) -> String? {
        let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        // `try?`, twice: the message only says that the file is unreadable.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: place),
            attributes[.type] as? FileAttributeType == .typeRegular,
            let size = attributes[.size] as? NSNumber, size.int64Value <= largestFile,
            let content = try? Data(contentsOf: URL(fileURLWithPath: place))
        else { return nil }
        // YAML would make the mark part of the first key.
        return String(validating: content.withoutByteOrderMark, as: UTF8.self)
    }

    /// `words` about a file without text, with the system's reason.
    package static func unreadable(_ words: String, at path: String) -> String {
        access(path, R_OK) == 0 ? words : "\(words): \(String(cString: strerror(errno)).lowercased())"
    }
}
