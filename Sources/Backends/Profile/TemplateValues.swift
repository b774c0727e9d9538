import Foundation
import SyncModel

package struct TemplateValues {
    /// For messages, e.g. `The route "measurement"`.
    let subject: String
    var inputs: [String: JSONValue] = [:]
    var secrets: [String: Secret] = [:]
    var mutation: Mutation?

    package init(subject: String, inputs: [String: JSONValue] = [:], secrets: [String: Secret] = [:], mutation: Mutation? = nil) {
        (self.subject, self.inputs, self.secrets, self.mutation) = (subject, inputs, secrets, mutation)
    }

    static func of(_ mutation: Mutation) -> TemplateValues {
        TemplateValues(subject: "The route \"\(mutation.route)\"", mutation: mutation)
    }

    /// Nil if optional and absent.
    func value(_ placeholder: Placeholder) throws(Failure) -> JSONValue? {
        let value: JSONValue? =
            switch placeholder.field {
            case .some("id"): (mutation?.id.description).map(JSONValue.string)
            case .some(let field): mutation?.fields[field]
            case .none: inputs[placeholder.name] ?? secrets[placeholder.name].map { .string($0.revealed) }
            }
        if value == nil, !placeholder.isOptional {
            throw Failure(.profile, "\(subject) needs \(Self.label(placeholder))\(Self.way(placeholder)).")
        }
        return value
    }

    private static func way(_ placeholder: Placeholder) -> String {
        guard let field = placeholder.field else { return "" }
        let option = field == "user_id" ? "--user NAME" : "--item \(field)=VALUE"
        return ". Add ‘\(option)’ to the command; a program adds item.\(field)=VALUE to the query"
    }

    func text(_ placeholder: Placeholder) throws(Failure) -> String {
        guard let text = try value(placeholder)?.text else {
            throw Failure(.profile, "\(subject) needs text or a number as \(Self.label(placeholder)).")
        }
        return text
    }

    static func label(_ placeholder: Placeholder) -> String {
        placeholder.field.map { "the field \"\($0)\"" } ?? "\"\(placeholder.name)\""
    }
}
