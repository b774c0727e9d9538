import Foundation
import SyncModel

indirect enum BodyTemplate: Hashable, Sendable {
    case literal(JSONValue)
    case text(TextTemplate)
    /// With its JSON type.
    case field(Placeholder)
    /// With a marker, the entry's id is added as the last member.
    case payload(marker: String?)
    case list([BodyTemplate])
    /// In the order of the profile.
    case object([Member])

    struct Member: Hashable, Sendable {
        let key: String
        var value: BodyTemplate
    }

    init?(_ node: YAMLNode, path: String, scope: TemplateScope, mistakes: MistakeCollector) {
        switch node.content {
        case .scalar(_, .string(let text)):
            do {
                let template = try TextTemplate(parsing: text, scope: scope)
                if let sole = template.solePlaceholder {
                    self = sole.isPayload ? .payload(marker: nil) : .field(sole)
                } else {
                    try template.checkWithinText()
                    self = template.placeholders.isEmpty ? .literal(.string(template.literal)) : .text(template)
                }
            } catch {
                mistakes.add(at: node, key: path, found: error.found, expected: error.expected)
                return nil
            }
        case .scalar(_, let value): self = .literal(value)
        case .list(let items):
            self = .list(items.enumerated().compactMap { BodyTemplate($1, path: "\(path).\($0)", scope: scope, mistakes: mistakes) })
        case .table(let members):
            if let name = Self.unquoted(members, scope: scope) {
                mistakes.add(at: node, key: path, found: "{\(name)} without quotes", expected: "\"{\(name)}\", in quotes")
                return nil
            }
            self = .object(
                members.compactMap { member in
                    let path = "\(path).\(member.key)"
                    guard !member.value.isLeftOut else {
                        mistakes.add(
                            at: node, line: member.line, key: path, found: "nothing",
                            expected: "a value; put a placeholder in quotes, such as \"{item.name}\", and write null for JSON null")
                        return nil
                    }
                    return BodyTemplate(member.value, path: path, scope: scope, mistakes: mistakes)
                        .map { Member(key: member.key, value: $0) }
                })
        }
    }

    /// Finds a placeholder with missing quotes: YAML reads `{email}` as a table.
    private static func unquoted(_ members: [YAMLNode.Member], scope: TemplateScope) -> String? {
        guard members.count == 1, members[0].value.isLeftOut else { return nil }
        // `try?`: a name that is no placeholder is an ordinary key.
        let template = try? TextTemplate(parsing: "{\(members[0].key)}", scope: scope)
        return template.map { _ in members[0].key }
    }

    var placeholders: [Placeholder] {
        switch self {
        case .literal, .payload: []
        case .text(let template): template.placeholders
        case .field(let placeholder): [placeholder]
        case .list(let items): items.flatMap(\.placeholders)
        case .object(let members): members.flatMap(\.value.placeholders)
        }
    }

    var takesPayload: Bool {
        switch self {
        case .payload: true
        case .list(let items): items.contains { $0.takesPayload }
        case .object(let members): members.contains { $0.value.takesPayload }
        case .literal, .text, .field: false
        }
    }

    var payloadMarker: String? {
        switch self {
        case .payload(let marker): marker
        case .list(let items): items.lazy.compactMap(\.payloadMarker).first
        case .object(let members): members.lazy.compactMap(\.value.payloadMarker).first
        case .literal, .text, .field: nil
        }
    }

    /// Nil unless `pointer` names a new member of a template object or of `{item.payload}`.
    func marked(at pointer: ArraySlice<String>) -> BodyTemplate? {
        guard let token = pointer.first else { return nil }
        switch self {
        case .payload(marker: nil) where pointer.count == 1: return .payload(marker: token)
        case .object(var members):
            if let index = members.firstIndex(where: { $0.key == token }) {
                guard let inner = members[index].value.marked(at: pointer.dropFirst()) else { return nil }
                members[index].value = inner
                return .object(members)
            }
            guard pointer.count == 1 else { return nil }
            return .object(members + [Member(key: token, value: .field(Placeholder(name: "item.id", isOptional: false)))])
        default: return nil
        }
    }
}

extension TextTemplate {
    /// Within text, a placeholder must not be optional or the payload.
    func checkWithinText() throws(TemplateMistake) {
        for placeholder in placeholders {
            if placeholder.isPayload {
                throw TemplateMistake(found: "{item.payload} within other text", expected: "{item.payload} as a whole value of a JSON body")
            }
            if placeholder.isOptional {
                throw TemplateMistake(
                    found: "{\(placeholder.name)?} within other text", expected: "{\(placeholder.name)} without a question mark")
            }
        }
    }

    var literal: String { parts.map { if case .literal(let text) = $0 { text } else { "" } }.joined() }
}
