import ArgumentParser
import ControlAPI
import Foundation
import JSON

enum RosterAction: String, CaseIterable, ExpressibleByArgument {
    case add, edit, delete

    /// Whether options give the values of a row.
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
    private let form: [String]

    /// Throws if the profile has no route for it.
    init(_ action: RosterAction, of roster: RosterReport) throws(Problem) {
        guard let route = action.route(in: roster.actions) else {
            let many = roster.title.many
            throw Problem(
                .unsupported, status: 409, title: "Not supported",
                detail: "Homing cannot \(action.rawValue) \(many) at \(roster.backend): its profile has no route for this.",
                next: "Do it at \(roster.backend) itself, then run: \(roster.command) --refresh")
        }
        self.route = route
        self.action = action
        self.roster = roster
        form = roster.actions?.form ?? []
    }

    /// Whether the person must confirm it.
    var needsConfirmation: Bool { action == .delete && roster.actions?.confirm == true }

    /// The field that takes the id of the changed or deleted row, or nil for a new row.
    var field: String? {
        get throws(Problem) {
            guard action != .add else { return nil }
            if let field = roster.references?.first(where: { $0.route == route })?.field { return field }
            throw Problem(
                .unsupported, status: 409, title: "Not supported",
                detail: "The route \(route) of \(roster.backend) does not say which \(roster.title.one) it is for.",
                next: "Tell the administrator: a field of the route needs a ‘reference’ to \(roster.resource).")
        }
    }

    /// A JSON object of the given members; nil without any, for a list whose new rows need none.
    func payload(_ fields: [FormField]) throws(Problem) -> Data? {
        guard action.takesForm else { return nil }
        var members: [(name: String, value: String)] = []
        for field in fields {
            let (name, value) = (try member(field), try json(field))
            guard !members.contains(where: { $0.name == name }) else {
                throw .invalid("‘\(name.printable)’ is given twice.", next: "Give it once.")
            }
            members.append((name, value))
        }
        if members.isEmpty {
            if action == .add, form.isEmpty { return nil }
            throw .invalid("Nothing was given for the \(roster.title.one).", next: "Give at least one of: \(choices)")
        }
        return Data("{\(members.map { "\(Self.text($0.name)):\($0.value)" }.joined(separator: ","))}".utf8)
    }

    /// An option writes `-` for `_`.
    private func member(_ field: FormField) throws(Problem) -> String {
        if form.isEmpty || form.contains(field.name) { return field.name }
        let plain = { (name: String) in name.replacing("-", with: "_") }
        if let member = form.first(where: { plain($0) == plain(field.name) }) { return member }
        throw .invalid(
            "\(roster.backend) does not take ‘\(field.name.printable)’ for \(roster.title.many).", next: "Use these options: \(choices)")
    }

    private func json(_ field: FormField) throws(Problem) -> String {
        let option = FormOptions.option(for: field.name).printable
        guard let value = field.value else { throw .invalid("\(option) has no value.", next: "Give one, such as: \(option) \"…\"") }
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
        form.isEmpty ? "--set NAME=VALUE" : form.map { FormOptions.option(for: $0).printable }.joined(separator: ", ")
    }

    private static func text(_ text: String) -> String { String(decoding: JSONCoding.encoded(text), as: UTF8.self) }
}
