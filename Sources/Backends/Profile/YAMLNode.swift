import JSON
import SyncModel
import Yams

/// A YAML value with its file and line.
package struct YAMLNode: Sendable {
    package let file: String
    package let line: Int?
    package let content: Content

    package enum Content: Sendable {
        /// Quoted text is always a string.
        case scalar(String, JSONValue)
        case list([YAMLNode])
        /// In the order of the file.
        case table([Member])
    }

    package struct Member: Sendable {
        package let key: String
        package let line: Int?
        package let value: YAMLNode
    }

    /// Reading a body template takes time quadratic in its depth.
    private static let mostLevels = 64

    /// Nil, with a mistake, if not YAML.
    package static func parse(_ text: String, file: String, mistakes: MistakeCollector) -> YAMLNode? {
        guard !AliasCount.isTooHigh(in: text) else {
            mistakes.add(Mistake(file: file, key: "", found: "many aliases (*)", expected: "the values themselves"))
            return nil
        }
        do {
            let parser = try Parser(yaml: text)
            guard let node = try parser.singleRoot() else {
                mistakes.add(Mistake(file: file, key: "", found: "nothing", expected: "a table of keys"))
                return nil
            }
            // Yams nodes hold their anchors weakly; the parser owns them.
            return withExtendedLifetime(parser) { YAMLNode(node, level: 1, file: file, mistakes: mistakes) }
        } catch let error as YamlError {
            mistakes.add(Self.mistake(error, file: file))
        } catch {
            mistakes.add(Mistake(file: file, key: "", found: "\(error)", expected: "valid YAML"))
        }
        return nil
    }

    package init(file: String, line: Int?, content: Content) {
        self.file = file
        self.line = line
        self.content = content
    }

    private init(_ node: Node, level: Int, file: String, mistakes: MistakeCollector) {
        self.file = file
        line = node.mark?.line
        // The expanded aliases may exceed the memory.
        guard node.anchor == nil else {
            content = .scalar("&", .null)
            mistakes.add(at: self, key: "", found: "an anchor (&) or its alias (*)", expected: "the value itself")
            return
        }
        switch node {
        case .scalar(let scalar): content = .scalar(scalar.string, Self.value(node, scalar))
        case .sequence where level > Self.mostLevels, .mapping where level > Self.mostLevels:
            content = .scalar("…", .null)
            let most = "at most \(Self.mostLevels) levels of lists and tables"
            mistakes.add(at: self, key: "", found: "more levels", expected: most)
        case .sequence(let items): content = .list(items.map { YAMLNode($0, level: level + 1, file: file, mistakes: mistakes) })
        case .mapping(let members): content = .table(Self.members(members, level: level + 1, file: file, mistakes: mistakes))
        case .alias:
            content = .scalar("*", .null)
            mistakes.add(at: self, key: "", found: "an alias", expected: "the value itself")
        }
    }

    private static func members(_ members: Node.Mapping, level: Int, file: String, mistakes: MistakeCollector) -> [Member] {
        var known: Set<String> = []
        return members.compactMap { key, value in
            let line = key.mark?.line
            guard case .scalar(let scalar) = key, key.anchor == nil else {
                mistakes.add(Mistake(file: file, line: line, key: "", found: "a list, a table or an anchor as a key", expected: "a name"))
                return nil
            }
            // Yams misses duplicates that differ only in tags.
            guard known.insert(scalar.string).inserted else {
                mistakes.add(Mistake(file: file, line: line, key: scalar.string, found: "a duplicate key", expected: "each key only once"))
                return nil
            }
            return Member(key: scalar.string, line: line, value: YAMLNode(value, level: level, file: file, mistakes: mistakes))
        }
    }

    private static func value(_ node: Node, _ scalar: Node.Scalar) -> JSONValue {
        guard scalar.style == .plain || scalar.style == .any else { return .string(scalar.string) }
        if node.null != nil { return .null }
        // YAML 1.1 reads `on` and `no` as booleans, which is rarely meant.
        if scalar.string == "true" || scalar.string == "false" { return .bool(scalar.string == "true") }
        if let whole = Int64(scalar.string) { return .int(whole) }
        if let number = Double(scalar.string), number.isFinite, scalar.string.first?.isLetter == false { return .number("\(number)") }
        return .string(scalar.string)
    }

    private static func beginsWithTab(_ text: String, line: Int) -> Bool {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.indices.contains(line - 1) && lines[line - 1].prefix { $0 == " " || $0 == "\t" }.contains("\t")
    }

    private static func mistake(_ error: YamlError, file: String) -> Mistake {
        switch error {
        case .scanner(_, let problem, let mark, let text), .parser(_, let problem, let mark, let text),
            .composer(_, let problem, let mark, let text):
            if beginsWithTab(text, line: mark.line) {
                Mistake(
                    file: file, line: mark.line, key: "", found: "a tab",
                    expected: "spaces, because YAML does not allow tabs for indentation")
            } else {
                Mistake(
                    file: file, line: mark.line, key: "",
                    found: problem.hasPrefix("found ") ? String(problem.dropFirst("found ".count)) : problem, expected: "valid YAML")
            }
        case .duplicatedKeysInMapping(let duplicates, let context):
            Mistake(
                file: file, line: context.mark.line, key: duplicates.sorted().joined(separator: ", "), found: "a duplicate key",
                expected: "each key only once")
        default:
            Mistake(file: file, key: "", found: "\(error)", expected: "valid YAML")
        }
    }
}

extension YAMLNode {
    /// For messages.
    package var summary: String {
        switch content {
        case .scalar(let text, .string): "\"\(text)\""
        case .scalar(_, .null): "nothing"
        case .scalar(let text, _): text
        case .list: "a list"
        case .table: "a table"
        }
    }

    /// True for a key without a value. Explicit `null` and `~` are values.
    var isLeftOut: Bool { if case .scalar("", .null) = content { true } else { false } }

    /// Without lines and key order.
    var json: JSONValue {
        switch content {
        case .scalar(_, let value): value
        case .list(let items): .array(items.map(\.json))
        case .table(let members): .object(Dictionary(members.map { ($0.key, $0.value.json) }) { first, _ in first })
        }
    }

    /// Merges this node over `base`: tables merge, other values replace.
    package func merged(over base: YAMLNode) -> YAMLNode {
        guard case .table(let mine) = content, case .table(let theirs) = base.content else { return self }
        let replacements = Dictionary(mine.map { ($0.key, $0) }) { first, _ in first }
        let inherited = theirs.map { member in
            guard let own = replacements[member.key] else { return member }
            return Member(key: own.key, line: own.line, value: own.value.merged(over: member.value))
        }
        let known = Set(theirs.map(\.key))
        let added = mine.filter { !known.contains($0.key) }
        return YAMLNode(file: file, line: line, content: .table(inherited + added))
    }

    package func member(_ key: String) -> YAMLNode? {
        guard case .table(let members) = content else { return nil }
        return members.first { $0.key == key }?.value
    }
}
