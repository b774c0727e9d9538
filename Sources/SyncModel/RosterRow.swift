import Foundation

/// The server's id of a row in a roster.
package struct RosterID: ByteIdentity {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// A row of a list that Homing keeps for offline use, such as a person.
package struct RosterRow: Hashable, Sendable {
    package var id: RosterID
    /// One line, for people.
    package var label: String
    /// `label.folded`, made once because a search reads all rows.
    package var folded: String
    /// In the order of the profile's `keep`; null if absent.
    package var kept: [JSONValue]

    package init(id: RosterID, label: String, folded: String, kept: [JSONValue]) {
        (self.id, self.label, self.folded, self.kept) = (id, label, folded, kept)
    }
}

extension String {
    /// For comparing names without case, width, diacritics and the amount of white space.
    package var folded: String {
        folding(options: [.caseInsensitive, .widthInsensitive, .diacriticInsensitive], locale: nil)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
