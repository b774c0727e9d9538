import ArgumentParser
import ControlAPI
import Foundation
import JSON

enum RosterAction: String, CaseIterable, ExpressibleByArgument {
    case add, edit, delete

    /// True if options give the values of a row.
    var takesForm: Bool { self != .delete }

    func route(in actions: RosterActions?) -> String? {
        switch self {
        case .add: actions?.add
        case .edit: actions?.change
        case .delete: actions?.delete
        }
    }
}

/// A new row of a list, a change to one, or its deletion.
struct RosterChange {
    let route: String
    private let action: RosterAction
    private let roster: RosterReport
    /// The members or fields that may be given; empty for any.
    private let names: [String]
    /// The values are item fields, and there is no payload.
    private let takesFields: Bool

    /// Throws if the profile has no route for it.
    init(_ action: RosterAction, of roster: RosterReport) throws(Problem) {
        guard let route = action.route(in: roster.actions) else {
            let many = roster.title.many
            throw Problem(
                .unsupported, status: 409, title: "Not supported",
                detail: "Homing cannot \(action.rawValue) \(many) at \(roster.backend): its profile does not say how.",
                next: "Do it at \(roster.backend) itself, then run: \(roster.command) --refresh")
        }
        self.route = route
        self.action = action
        self.roster = roster
        let fields = action == .add ? roster.actions?.fields : nil
        names = fields ?? roster.actions?.form ?? []
        takesFields = fields != nil
    }

    /// True if the user must confirm the change.
    var needsConfirmation: Bool { action == .delete && roster.actions?.confirm == true }

    /// The field for the id of the row; nil for a new one.
    var field: String? {
        get throws(Problem) {
            guard action != .add else { return nil }
            if let field = roster.references?.first(where: { $0.route == route })?.field { return field }
            throw Problem(
                .unsupported, status: 409, title: "Not supported",
                detail:
                    "Homing cannot \(action.rawValue) \(roster.title.many) at \(roster.backend): its profile does not say which field names the \(roster.title.one).",
                next: "Tell the administrator: a field of the route \(route) needs a ‘reference’ to \(roster.resource).")
        }
    }

    /// Members of a new row's name that the server may fill in.
    func missingNames(_ fields: [FormField]) -> [String] {
        guard action == .add, !takesFields else { return [] }
        let given = fields.map { $0.name.replacing("-", with: "_") }
        return names.filter { ["first_name", "last_name"].contains($0) && !given.contains($0) }
    }

    /// The JSON object of the members; nil without any, if new rows need none.
    func payload(_ fields: [FormField]) throws(Problem) -> Data? {
        guard action.takesForm, !takesFields else { return nil }
        if fields.isEmpty, action == .add, names.isEmpty { return nil }
        var members: [String] = []
        for (name, field) in try named(fields) {
            let value = try json(field)
            members.append("\(Self.text(name)):\(value)")
        }
        return Data("{\(members.joined(separator: ","))}".utf8)
    }

    /// The item fields of a new row, if its route takes no payload; otherwise none.
    func items(_ fields: [FormField]) throws(Problem) -> [ItemField] {
        guard takesFields else { return [] }
        var items: [ItemField] = []
        for (name, field) in try named(fields) { items.append(ItemField(name: name, value: try value(field))) }
        return items
    }

    /// Throws without any, and if one is given twice.
    private func named(_ fields: [FormField]) throws(Problem) -> [(name: String, field: FormField)] {
        if fields.isEmpty {
            throw .invalid("Nothing was given for the \(roster.title.one).", next: "Give at least one of: \(choices)")
        }
        var named: [(name: String, field: FormField)] = []
        for field in fields {
            let name = try member(field)
            guard !named.contains(where: { $0.name == name }) else {
                throw .invalid("‘\(name.printable)’ is given twice.", next: "Give it once.")
            }
            named.append((name, field))
        }
        return named
    }

    /// An option writes `-` for `_`.
    private func member(_ field: FormField) throws(Problem) -> String {
        if names.isEmpty || names.contains(field.name) { return field.name }
        let plain = { (name: String) in name.replacing("-", with: "_") }
        if let member = names.first(where: { plain($0) == plain(field.name) }) { return member }
        throw .invalid(
            "\(roster.backend) does not take ‘\(field.name.printable)’ for \(roster.title.many).", next: "Use these options: \(choices)")
    }

    private func value(_ field: FormField) throws(Problem) -> String {
        let option = FormOptions.option(for: field.name).printable
        let example = "Give one, such as: \(option) \"…\""
        guard let value = field.value else { throw .invalid("\(option) has no value.", next: example) }
        guard field.isJSON || !value.allSatisfy(\.isWhitespace) else {
            // A payload may have an empty text, such as no description; a field may not.
            let onPurpose = "\nTo store an empty text on purpose, write: --set \(field.name.printable):='\"\"'"
            throw .invalid("\(option) is empty; expected a text.", next: example + (takesFields ? "" : onPurpose))
        }
        return value
    }

    private func json(_ field: FormField) throws(Problem) -> String {
        let value = try value(field)
        guard field.isJSON else { return Self.text(value) }
        do {
            try JSONSyntax.check(Data(value.utf8))
            return value
        } catch {
            throw .invalid(
                "‘\(field.name.printable):=\(value.printable)’ is not JSON: \(error).",
                next: "For text, write: --set \(field.name.printable)=TEXT")
        }
    }

    private var choices: String {
        names.isEmpty ? "--set NAME=VALUE" : names.map { FormOptions.option(for: $0).printable }.joined(separator: ", ")
    }

    private static func text(_ text: String) -> String { String(decoding: JSONCoding.encoded(text), as: UTF8.self) }
}
