import Foundation

struct TextPattern: Sendable {
    /// The texts around the placeholders: one more than there are names.
    private let literals: [String]
    private let names: [String]
    /// True if the whole text may be missing.
    let isOptional: Bool

    /// - Parameter vars: placeholders with known values; they become literals.
    init(_ template: String, vars: [String: String] = [:]) {
        var (literals, names, isOptional) = ([""], [String](), false)
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            literals[literals.count - 1] += rest[..<open]
            var name = String(rest[rest.index(after: open)..<close])
            rest = rest[rest.index(after: close)...]
            if let value = vars[name] {
                literals[literals.count - 1] += value
                continue
            }
            if name.hasSuffix("?") {
                name.removeLast()
                isOptional = true
            }
            names.append(name)
            literals.append("")
        }
        literals[literals.count - 1] += rest
        (self.literals, self.names, self.isOptional) = (literals, names, isOptional)
    }

    /// The name of the placeholder if it is the whole template.
    var soleName: String? { names.count == 1 && literals == ["", ""] ? names[0] : nil }

    /// All non-empty; nil if the text does not match.
    func values(in text: String) -> JSONObject? {
        guard text.hasPrefix(literals[0]) else { return nil }
        var rest = text.dropFirst(literals[0].count)
        var values: JSONObject = [:]
        for (place, name) in names.enumerated() {
            let literal = literals[place + 1]
            let isLast = place + 1 == names.count
            guard !rest.isEmpty, let found = end(before: literal, isLast: isLast, in: rest), found.lowerBound > rest.startIndex else {
                return nil
            }
            values[name] = .string(String(rest[..<found.lowerBound]))
            rest = rest[found.upperBound...]
        }
        return rest.isEmpty ? values : nil
    }

    /// The literal after a placeholder of at least one character: its first occurrence, or the end of the text for the last literal.
    private func end(before literal: String, isLast: Bool, in rest: Substring) -> Range<Substring.Index>? {
        if literal.isEmpty { return rest.endIndex..<rest.endIndex }
        return rest.dropFirst().range(of: literal, options: isLast ? [.backwards, .anchored] : [])
    }
}

extension JSON {
    /// Reads the placeholders' values. Throws 400 if the body does not match. Ignores additional members.
    func read(_ body: JSON?, vars: [String: String], at place: String = "", into values: inout JSONObject) throws(Refusal) {
        let problem = Refusal(400, "", "the body does not match the profile at \"\(place)\"")
        switch self {
        case .string(let template):
            let pattern = TextPattern(template, vars: vars)
            if let name = pattern.soleName {
                guard let body else {
                    if pattern.isOptional { return }
                    throw problem
                }
                values[name] = body
            } else {
                guard let found = body?.text.flatMap(pattern.values) else { throw problem }
                values.merge(found) { $1 }
            }
        case .array(let templates):
            guard let elements = body?.elements, elements.count == templates.count else { throw problem }
            for (index, template) in templates.enumerated() {
                try template.read(elements[index], vars: vars, at: "\(place)/\(index)", into: &values)
            }
        case .object(let templates):
            guard let members = body?.members else { throw problem }
            for (key, template) in templates.sorted(by: { $0.key < $1.key }) {
                try template.read(members[key], vars: vars, at: "\(place)/\(key)", into: &values)
            }
        default:
            guard body == self else { throw problem }
        }
    }
}
