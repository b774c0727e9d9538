import SyncModel

extension StrictTable {
    /// In seconds.
    package static let tenYears = 0.001...86_400 * 3650.0

    /// The words for a value, in mistakes and in references.
    package static func expected(whole range: ClosedRange<Int>) -> String {
        "a whole number from \(range.lowerBound) to \(range.upperBound)"
    }

    /// The words for an expected number.
    ///
    /// - Parameter unit: nil where the unit is shown elsewhere.
    package static func expected(number range: ClosedRange<Double>, of unit: String? = nil) -> String {
        "a number \(unit.map { "of \($0) " } ?? "")from \(text(range.lowerBound)) to \(text(range.upperBound))"
    }

    /// Without a fraction for whole numbers.
    private static func text(_ number: Double) -> String { Int64(exactly: number).map { "\($0)" } ?? "\(number)" }

    /// The words for an expected choice.
    package static func expected<Choice: RawRepresentable & CaseIterable>(oneOf: Choice.Type) -> String where Choice.RawValue == String {
        "one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))"
    }

    /// Numbers and booleans need quotes.
    package func text(_ key: String) -> String? { read(key, expected: "text") { $0.text } }

    func headerName(_ key: String) -> String? {
        read(key) { $0.text.flatMap { $0.isHeaderName ? $0 : nil } }
    }

    package func bool(_ key: String) -> Bool? {
        read(key, expected: "true or false") { node in
            if case .scalar(_, .bool(let flag)) = node.content { flag } else { nil }
        }
    }

    package func int(_ key: String, in range: ClosedRange<Int>) -> Int? {
        read(key, expected: Self.expected(whole: range)) { node in
            guard case .scalar(_, .int(let number)) = node.content, let whole = Int(exactly: number) else { return nil }
            return range.contains(whole) ? whole : nil
        }
    }

    /// In seconds, with an optional fraction.
    package func seconds(_ key: String, in range: ClosedRange<Double> = StrictTable.tenYears) -> Duration? {
        read(key, expected: Self.expected(number: range, of: "seconds")) { node in
            let number: Double
            switch node.content {
            case .scalar(_, .int(let whole)): number = Double(whole)
            case .scalar(_, .number(let text)): number = Double(text) ?? .nan
            default: return nil
            }
            return range.contains(number) ? .milliseconds(Int64((number * 1000).rounded())) : nil
        }
    }

    package func choice<Choice: RawRepresentable & CaseIterable>(_ key: String, as: Choice.Type = Choice.self) -> Choice?
    where Choice.RawValue == String {
        read(key, expected: Self.expected(oneOf: Choice.self)) { $0.text.flatMap(Choice.init(rawValue:)) }
    }

    /// The caller closes it.
    package func table(_ key: String, required: Bool = false) -> StrictTable? {
        value(key, required: required || isRequired(key) ? "a table of keys" : nil).flatMap { self.table(key, $0) }
    }

    /// With user-chosen keys.
    package func map(_ key: String) -> [(name: String, value: YAMLNode, path: String)] {
        guard let table = value(key).flatMap({ self.table(key, $0) }) else { return [] }
        return table.keys.compactMap { name in table.value(name).map { (name, $0, table.key(name)) } }
    }

    /// A single value is a list of one. `parse` returns nil for an unexpected element. The words for an element are those of `expected`
    /// before its “, or a list of …”.
    package func list<T>(_ key: String, expected: String, _ parse: (YAMLNode) -> T?) -> [T]? {
        guard let node = value(key) else { return nil }
        guard case .list(let items) = node.content else {
            if let value = parse(node) { return [value] }
            reject(key, expected: expected)
            return []
        }
        let ofElement = expected.firstRange(of: ", or a list of").map { String(expected[..<$0.lowerBound]) } ?? expected
        return items.enumerated().compactMap { index, item in
            if let value = parse(item) { return value }
            mistakes.add(at: item, key: "\(self.key(key)).\(index)", expected: ofElement)
            return nil
        }
    }

    package func texts(_ key: String) -> [String]? { list(key, expected: Self.expectedTexts) { $0.text } }

    static let expectedTexts = "text, or a list of texts"
}

extension YAMLNode {
    package var text: String? { if case .scalar(let text, .string) = content { text } else { nil } }
}
