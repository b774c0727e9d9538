import Foundation
import SyncModel

/// A value of the table `fields`.
enum FieldType: String, CaseIterable {
    /// Positive and canonical: `05` and `5` would be different ids here, but not at the server.
    case integer
    /// Not empty, without control characters and surrounding white space.
    case text

    /// Templates reject other unusable values themselves.
    func accepts(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.integer, .int(let number)): number > 0
        case (.integer, .string(let digits)):
            !digits.isEmpty && digits.first != "0" && digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        case (.integer, _): false
        case (.text, .string(let text)):
            !text.isInvisible && text.first?.isWhitespace == false && text.last?.isWhitespace == false
                && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        case (.text, _): true
        }
    }

    var expected: String {
        switch self {
        case .integer: "a whole number above 0 without leading zeros, such as 5"
        case .text: "non-empty text without control characters, leading or trailing white space"
        }
    }
}

extension Route {
    /// A field that takes the id of a row.
    struct Reference: Sendable {
        let field: String
        /// The name of the resource.
        let resource: String
    }

    /// Throws if the field does not take a reference to an entry.
    private func isReferenceToEntry(_ value: JSONValue, in field: String) throws(Failure) -> Bool {
        guard let text = value.string, RosterID(text).reference != nil, references.contains(where: { $0.field == field }) else {
            return false
        }
        let subject = references.first?.field ?? field
        guard field == subject else {
            throw Failure(
                .profile,
                "The field \"\(field)\" of the route \"\(name)\" needs the server's id; only \"\(subject)\" takes a reference to an entry.")
        }
        return true
    }

    /// Undeclared fields are texts.
    func check(_ values: [String: JSONValue]) throws(Failure) {
        let known = usedFields
        if let name = values.keys.sorted().first(where: { !known.contains($0) }) {
            let list = known.isEmpty ? "it takes none" : "it takes \(known.sorted().joined(separator: ", "))"
            throw Failure(.profile, "The route \"\(self.name)\" has no field \"\(name)\"; \(list).")
        }
        try checkTypes(values)
        try checkLengths(values)
        try checkLanes(values)
    }

    /// Ids and lanes are shown whole, and no server has longer ids.
    private static let longestID = 128

    /// Throws for an id of a row, or a part of a lane, that is too long.
    private func checkLengths(_ values: [String: JSONValue]) throws(Failure) {
        for field in Set(references.map(\.field) + laneFields).sorted() {
            guard let count = values[field]?.text?.unicodeScalars.count, count > Self.longestID else { continue }
            throw Failure(.profile, "The \(label(of: field)) is too long: \(count) characters; expected at most \(Self.longestID).")
        }
    }

    /// Throws for a value that would put other than `laneText` into a lane.
    private func checkLanes(_ values: [String: JSONValue]) throws(Failure) {
        for field in laneFields {
            guard let text = values[field]?.text, text.unicodeScalars.contains(where: \.isSteering) else { continue }
            let found = String(text.prefix(100)).legible
            throw Failure(
                .profile,
                "The field \"\(field)\" is \"\(found)\"; the route \"\(name)\" expects \(Self.laneText), because the field names a lane.")
        }
    }

    /// The field in the words of a message: `user` for `user_id`, which names a row.
    private func label(of field: String) -> String {
        let isID = field.hasSuffix("_id") && references.contains { $0.field == field }
        return (isID ? String(field.dropLast(3)) : field).replacing("_", with: " ")
    }

    /// Throws for a value of another type than the route declares.
    func checkTypes(_ values: [String: JSONValue]) throws(Failure) {
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            if try isReferenceToEntry(value, in: name) { continue }
            let type = fields[name] ?? .text
            guard !type.accepts(value) else { continue }
            let found = String(decoding: value.serialized, as: UTF8.self)
            throw Failure(
                .profile,
                "The \(label(of: name)) \(found.count > 100 ? found.prefix(100) + "…" : found) is not valid; expected \(type.expected).")
        }
    }
}
