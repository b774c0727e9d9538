import Foundation

/// The server's id of a row, or a reference to a row that an entry creates.
package struct RosterID: ByteIdentity {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

extension RosterID {
    /// A reference to the row that this entry creates.
    package init(createdBy entry: MutationID) { self.init("@\(entry)") }

    /// A reference as a person writes it, with letters of either case; nil for other text.
    package init?(reference text: String) {
        // The store compares ids in lower case.
        self.init(text.lowercased())
        if reference == nil { return nil }
    }

    /// The create of a reference (`@` and a UUID in lower case); nil for a server's id.
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
    /// The text without case, width, diacritics, the amount of white space and the kind of apostrophe.
    package var folded: String {
        let plain =
            utf8.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "`") } ? self : String(map { Self.apostrophes.contains($0) ? "'" : $0 })
        return plain.folding(options: [.caseInsensitive, .widthInsensitive, .diacriticInsensitive], locale: nil)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Apostrophes as keyboards and documents have them.
    private static let apostrophes: Set<Character> = [
        "\u{60}", "\u{B4}", "\u{2B9}", "\u{2BB}", "\u{2BC}", "\u{2BD}", "\u{2C8}", "\u{2018}", "\u{2019}", "\u{201B}", "\u{2032}",
        "\u{FF07}",
    ]
}
