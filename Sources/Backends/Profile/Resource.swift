import Foundation
import JSON

/// A list of the signed-in account that Homing keeps for offline use.
package struct Resource: Sendable {
    package let name: String
    package let title: Title
    let request: RequestTemplate
    /// The resource whose rows this one is read for; nil for a single list.
    package let parent: String?
    /// Refusal codes that mean, like a 404, that the parent's row is gone.
    let gone: CodeList
    package let list: JSONPointer
    /// In a row, as are `label` and `keep`.
    package let id: JSONPointer
    /// All that resolve make up the label.
    package let label: [JSONPointer]
    /// The values that are stored besides id and label.
    package let keep: [JSONPointer]
    /// The index in `keep` of the row's creation time; nil if the profile names none.
    package let created: Int?
    /// Nil when one answer contains all rows.
    package let pages: Pages?
    /// Rows are read again after this time.
    package let maxAge: Duration
    /// The backend's address and the declaration. Rows read under another source do not count.
    package let source: Data

    /// Words for one row and for many, used inside sentences.
    package struct Title: Hashable, Sendable {
        package let one, many: String

        package init(one: String, many: String) { (self.one, self.many) = (one, many) }
    }

    package static let mostIDBytes = 256
    static let mostKeptBytes = 1024
    /// In characters.
    static let longestLabel = 200
}
