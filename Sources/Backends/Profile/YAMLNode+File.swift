import Foundation
import SyncModel

extension YAMLNode {
    /// The most that a file of the configuration may have, in bytes: more than a hundred times what the largest shipped one has.
    private static let largestFile = 1 << 20

    /// The text of a file; nil where it is no plain file (a pipe would be waited for without end), is larger than 1 MiB, cannot be read, or is
    /// not UTF-8. A byte order mark at its start is left out.
    package static func text(of path: String) -> String? {
        let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        // `try?`, twice: what matters to the reader of the message is that it could not be read.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: place),
            attributes[.type] as? FileAttributeType == .typeRegular,
            let size = attributes[.size] as? NSNumber, size.int64Value <= largestFile,
            let content = try? Data(contentsOf: URL(fileURLWithPath: place))
        else { return nil }
        // To a YAML reader the mark would be part of the first key.
        return String(validating: content.withoutByteOrderMark, as: UTF8.self)
    }
}
