import JSON
import SyncModel

/// A row in its page. Kept values are read from there on demand, because a search passes thousands of rows.
package struct CachedRow: Sendable {
    package let id: RosterID
    /// The row's name, and `label.folded` for a search.
    package let label, folded: String
    private let list: JSONElement
    private let place: Int

    /// The number of values before the kept ones.
    static let fixed = 3

    /// `values` are the first values of the row, at least `fixed` of them.
    init?(_ values: [JSONValue], at place: Int, in list: JSONElement) {
        guard values.count >= Self.fixed, let id = values[0].string, let label = values[1].string, let folded = values[2].string else {
            return nil
        }
        (self.id, self.label, self.folded, self.list, self.place) = (RosterID(id), label, folded, list, place)
    }

    /// The kept values, in the order of the profile's `keep`.
    package var kept: [JSONValue] { Array(list.scalars(at: place).dropFirst(Self.fixed)) }
}
