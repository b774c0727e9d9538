import SyncModel

package struct Mistake: Hashable, Sendable, CustomStringConvertible {
    package let file: String
    package let line: Int?
    /// Dotted, e.g. `routes.measurement.request`; empty for the whole file.
    package let key: String
    package let found: String?
    package let expected: String

    package init(file: String, line: Int? = nil, key: String, found: String? = nil, expected: String) {
        self.file = file
        self.line = line
        self.key = key
        self.found = found
        self.expected = expected
    }

    package var description: String {
        let place = [file, line.map(String.init)].compactMap(\.self).joined(separator: ":")
        let subject = key.isEmpty ? "" : " \(Self.shown(key)):"
        return "\(place.legible):\(subject) expected \(Self.shown(expected))\(found.map { ", found \(Self.shown($0))" } ?? "")"
    }

    /// File content may be of any length and contain any character.
    private static func shown(_ text: String) -> String {
        let most = 400
        return (text.unicodeScalars.count > most ? String(text.unicodeScalars.prefix(most)) + "…" : text).legible
    }
}

package struct Mistakes: Error, Sendable, CustomStringConvertible {
    package let all: [Mistake]

    package init(_ all: [Mistake]) { self.all = all }

    package var description: String { all.map(\.description).joined(separator: "\n") }
}
