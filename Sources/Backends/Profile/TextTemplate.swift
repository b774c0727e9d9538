import JSON
import SyncModel

/// `{item.user_id}`, or `{item.note?}` if it may be absent.
struct Placeholder: Hashable, Sendable {
    let name: String
    let isOptional: Bool

    var field: String? { name.hasPrefix("item.") ? String(name.dropFirst("item.".count)) : nil }
    var isPayload: Bool { name == "item.payload" }
    /// `{row./id}`: a value of the row that is read before the send.
    var rowPointer: JSONPointer? {
        guard name.hasPrefix("row."), let pointer = JSONPointer(String(name.dropFirst("row.".count))) else { return nil }
        return pointer.tokens.isEmpty ? nil : pointer
    }
}

extension [Placeholder] {
    /// The item fields, without `id` and `payload`.
    var itemFields: Set<String> { Set(compactMap(\.field)).subtracting(["id", "payload"]) }
}

/// Constants (`vars`, `version`, `device_id`) are already replaced.
package struct TextTemplate: Hashable, Sendable {
    var parts: [Part]

    enum Part: Hashable, Sendable {
        case literal(String)
        case placeholder(Placeholder)
    }

    init(literal: String) { parts = [.literal(literal)] }

    init(parsing text: String, scope: TemplateScope) throws(TemplateMistake) {
        parts = []
        var rest = text[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            if brace > rest.startIndex { parts.append(.literal(String(rest[..<brace]))) }
            guard rest[brace] == "{", let end = rest[brace...].firstIndex(of: "}") else {
                throw TemplateMistake(found: "a lone brace in \"\(text)\"", expected: "placeholders such as {item.user_id}")
            }
            var name = String(rest[rest.index(after: brace)..<end])
            let isOptional = name.hasSuffix("?")
            if isOptional { name.removeLast() }
            parts.append(try scope.part(Placeholder(name: name, isOptional: isOptional)))
            rest = rest[rest.index(after: end)...]
        }
        if !rest.isEmpty { parts.append(.literal(String(rest))) }
    }

    /// Makes up the whole text.
    var solePlaceholder: Placeholder? {
        if parts.count == 1, case .placeholder(let placeholder) = parts[0] { placeholder } else { nil }
    }

    /// The template's parts; nil for each placeholder.
    var literals: [String?] {
        parts.reduce(into: []) { literals, part in
            switch part {
            case .literal(let text):
                // A constant is a literal of its own.
                if let before = literals.last ?? nil { literals[literals.count - 1] = before + text } else { literals.append(text) }
            case .placeholder: literals.append(nil)
            }
        }
    }

    var placeholders: [Placeholder] {
        parts.compactMap { if case .placeholder(let placeholder) = $0 { placeholder } else { nil } }
    }

    /// Applies `encode` to each value.
    func render(_ values: TemplateValues, encode: (String, Placeholder) throws(Failure) -> String) throws(Failure) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .placeholder(let placeholder): text += try encode(try values.text(placeholder), placeholder)
            }
        }
        return text
    }

    func render(_ values: TemplateValues) throws(Failure) -> String { try render(values) { text, _ in text } }
}

struct TemplateMistake: Error {
    let found: String
    let expected: String
}
