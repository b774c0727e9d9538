import JSON
import SyncModel

/// The values of a form member. Null, which clears it, is always valid.
enum FormValue: Sendable {
    /// Text, also for a member without a rule.
    case text
    /// For a member whose type is not known.
    case scalar
    case choice([String])
    /// Whole numbers, also as text.
    case whole(ClosedRange<Int64>)

    func accepts(_ value: JSONElement) -> Bool {
        switch (self, value.kind) {
        case (_, .null), (.text, .string), (.scalar, .string), (.scalar, .number), (.scalar, .bool): return true
        case (.choice(let words), .string): return value.scalar?.string.map(words.contains) ?? false
        case (.whole(let range), .number): return value.whole.map(range.contains) ?? false
        case (.whole(let range), .string):
            guard let text = value.scalar?.string, let number = Int64(text), String(number) == text else { return false }
            return range.contains(number)
        default: return false
        }
    }

    var expected: String {
        switch self {
        case .text: "text"
        case .scalar: "text, a number, true or false"
        case .choice(let words): words.count == 1 ? words[0] : "one of \(words.joined(separator: ", "))"
        case .whole(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        }
    }
}

extension FormValue {
    init?(_ node: YAMLNode, path: String, mistakes: MistakeCollector) {
        switch node.content {
        case .list(let items):
            let words = items.compactMap(\.text).filter { !$0.isEmpty }
            guard !words.isEmpty, words.count == items.count else {
                mistakes.add(at: node, key: path, expected: Self.rule)
                return nil
            }
            self = .choice(words)
        case .table:
            guard let table = StrictTable(node, path: path, mistakes: mistakes) else { return nil }
            defer { table.close() }
            let (from, to) = (table.int("from", in: Self.limits), table.int("to", in: Self.limits))
            guard let from, let to, from <= to else {
                table.reject(nil, expected: Self.rule)
                return nil
            }
            self = .whole(Int64(from)...Int64(to))
        case .scalar:
            guard node.text == "scalar" else {
                mistakes.add(at: node, key: path, expected: Self.rule)
                return nil
            }
            self = .scalar
        }
    }

    static let limits = -1_000_000_000_000...1_000_000_000_000
    private static let rule = "a list of texts, or a table of the keys from and to, with whole numbers, or the word scalar"
}
