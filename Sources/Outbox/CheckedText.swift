import Foundation
import GRDB
import Vault

/// A stored text beside its digest. If one of the two is damaged, the other still identifies the text.
struct CheckedText: Equatable {
    let text: String
    /// 8 bytes.
    let digest: Data

    init(_ text: String, of key: String...) {
        self.text = text
        digest = Data(Vault.digest(Data((key + [text]).joined(separator: "\n").utf8)).prefix(8))
    }

    init(row: Row) throws {
        text = try row.decode(forColumn: "text")
        digest = try row.decode(forColumn: "digest")
    }

    func matches(_ other: CheckedText) -> Bool { text == other.text || digest == other.digest }
}
