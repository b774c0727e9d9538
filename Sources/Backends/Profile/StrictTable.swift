import SyncModel

/// Reads a table key by key; `close()` reports unread keys. Collects mistakes instead of throwing, so that one pass finds all.
package final class StrictTable {
    package let node: YAMLNode
    /// Dotted; empty for the root.
    package let path: String
    package let mistakes: MistakeCollector
    /// Nil for a file whose keys are declared elsewhere.
    let declared: DeclaredTable?
    private var known: [String] = []
    private var members: [String: YAMLNode.Member] = [:]

    /// Nil, with a mistake, if `node` is not a table.
    package convenience init?(_ node: YAMLNode, path: String = "", mistakes: MistakeCollector) {
        self.init(node, path: path, mistakes: mistakes, declared: nil)
    }

    /// With declarations of its keys.
    init?(_ node: YAMLNode, path: String = "", mistakes: MistakeCollector, declared: DeclaredTable?) {
        self.node = node
        self.path = path
        self.mistakes = mistakes
        self.declared = declared
        guard case .table(let members) = node.content else {
            mistakes.add(at: node, key: path, expected: "a table of keys")
            return nil
        }
        for member in members { self.members[member.key] = member }
    }

    /// Keys in the order of the file.
    package var keys: [String] {
        guard case .table(let members) = node.content else { return [] }
        return members.map(\.key)
    }

    /// Makes `key` known, and reports it if required and missing.
    package func value(_ key: String, required expected: String? = nil) -> YAMLNode? {
        known.append(key)
        if let member = members[key] { return member.value }
        if let expected {
            mistakes.add(at: node, key: self.key(key), found: "nothing", expected: expected)
        }
        return nil
    }

    /// Reads a key. `parse` returns nil for an unexpected value. With `isSecret`, a mistake does not repeat the value.
    package func read<T>(_ key: String, isSecret: Bool = false, expected: String, _ parse: (YAMLNode) -> T?) -> T? {
        guard let node = value(key, required: isRequired(key) ? expected : nil) else { return nil }
        if let value = parse(node) { return value }
        reject(key, expected: expected, found: isSecret ? "another value, which may be secret" : nil)
        return nil
    }

    /// Reports the value of `key`, or the whole table for nil.
    package func reject(_ key: String?, expected: String, found: String? = nil) {
        let culprit = key.flatMap { members[$0] }
        mistakes.add(
            at: culprit?.value ?? node, line: culprit?.line, key: key.map { self.key($0) } ?? path, found: found, expected: expected)
    }

    static let unknownKey = "an unknown key"

    package func close() {
        for key in keys where !known.contains(key) {
            let similar = key.similar(among: Set(known))
            let question = similar.isEmpty ? "" : "; did you mean \(similar.joined(separator: " or "))?"
            reject(key, expected: "one of \(Set(known).sorted().joined(separator: ", "))", found: Self.unknownKey + question)
        }
    }

    package func key(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}
