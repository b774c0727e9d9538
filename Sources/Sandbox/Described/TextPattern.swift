import Foundation

/// A text of a profile turned round: it reads out of a text what stands for the placeholders.
struct TextPattern: Sendable {
    /// One more than there are names: what stands before, between and after the placeholders.
    private let literals: [String]
    private let names: [String]
    /// Whether the text may be absent as a whole.
    let isOptional: Bool

    /// - Parameter vars: what is known of some placeholders.
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

    /// The one placeholder that is the whole text.
    var soleName: String? { names.count == 1 && literals == ["", ""] ? names[0] : nil }

    /// What the placeholders stand for, none of it empty; nil where the text is another.
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

    /// Where the text after a placeholder stands, at least one character on: the first such place, and for the last one the end.
    private func end(before literal: String, isLast: Bool, in rest: Substring) -> Range<Substring.Index>? {
        if literal.isEmpty { return rest.endIndex..<rest.endIndex }
        return rest.dropFirst().range(of: literal, options: isLast ? [.backwards, .anchored] : [])
    }
}
