import Foundation
import Vault

/// The content of the marker beside a store: how far the store had come. It ends with a checksum, because with a changed number a sound
/// store could count as an older copy (Decisions/OlderCopies.md).
package struct StoreMark: Sendable, Equatable {
    /// The inode of the store's file while a run has it open, or if a stop has left content in the log.
    package var inode: UInt64?
    /// The epoch of the newest run.
    package let epoch: Int64
    /// The cursor of the newest event at a stop; nil while a run adds events.
    package let event: Int64?

    package init(inode: UInt64? = nil, epoch: Int64, event: Int64? = nil) {
        (self.inode, self.epoch, self.event) = (inode, epoch, event)
    }

    /// Nil for damaged content.
    package init?(_ content: Data) {
        let words = String(decoding: content, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        func number<Number: FixedWidthInteger>(after name: String) -> Number? {
            words.firstIndex { $0 == name }.flatMap { words.dropFirst($0 + 1).first }.flatMap { Number($0) }
        }
        guard let epoch: Int64 = number(after: "epoch") else { return nil }
        self.init(inode: number(after: "open"), epoch: epoch, event: number(after: "event"))
        guard self.content == content else { return nil }
    }

    package var content: Data {
        let parts: [String?] = [inode.map { "open \($0)" } ?? "closed", "epoch \(epoch)", event.map { "event \($0)" }]
        let text = parts.compactMap(\.self).joined(separator: " ")
        var digest = RunningDigest()
        digest.update(Data(text.utf8))
        return Data("\(text) \(Data(digest.value.prefix(9)).base64EncodedString())\n".utf8)
    }

    /// True if the store in the marker's place lacks something that the marker knows of, so it is an older copy.
    ///
    /// - Parameters:
    ///   - epoch: of the store's newest run.
    ///   - event: the cursor of its newest event; nil if unknown.
    ///   - inode: of its file; nil without one.
    package func isAhead(of epoch: Int64, event: Int64?, inode: UInt64?) -> Bool {
        if epoch != self.epoch { return epoch < self.epoch }
        if let known = self.event { return event.map { $0 < known } ?? false }
        // The run may have written more into the file that it had open.
        guard let opened = self.inode, let inode else { return false }
        return inode != opened
    }
}
