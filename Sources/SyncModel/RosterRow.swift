import Foundation

/// The server's id of a row in a roster, or a reference to a row that an entry creates.
package struct RosterID: ByteIdentity {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

extension RosterID {
    /// A reference to the row that this entry creates.
    package init(createdBy entry: MutationID) { self.init("@\(entry)") }

    /// The id of the create entry, if this is a reference to one (`@` and a UUID in lower case); nil for a server's id.
    package var reference: MutationID? {
        guard rawValue.utf8.first == UInt8(ascii: "@"), let id = MutationID(rawValue.dropFirst()) else { return nil }
        return RosterID(createdBy: id) == self ? id : nil
    }
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
