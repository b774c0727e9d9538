import SyncModel

/// Where a value stands in a JSON document (RFC 6901), e.g. `/currentUser/id`.
struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    let tokens: [String]

    /// Nil where the text is not a pointer: it is empty (the whole document) or begins with a slash, and `~` stands only in `~0` and `~1`.
    init?(_ text: String) {
        guard text.isEmpty || text.hasPrefix("/") else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var tokens: [String] = []
        for part in parts {
            let bare = String(part).replacing("~0", with: "").replacing("~1", with: "")
            guard !bare.contains("~") else { return nil }
            tokens.append(String(part).replacing("~1", with: "/").replacing("~0", with: "~"))
        }
        self.tokens = tokens
    }

    /// What stands there.
    func resolve(in value: JSONValue) -> Resolution {
        var value = value
        for token in tokens {
            switch value {
            case .object(let members):
                guard let member = members[token] else { return .missing }
                value = member
            case .array(let items):
                guard let index = Int(token), items.indices.contains(index), String(index) == token else { return .missing }
                value = items[index]
            case .null: return .null
            default: return .missing
            }
        }
        return value == .null ? .null : .found(value)
    }

    enum Resolution: Hashable {
        case found(JSONValue)
        /// A null stands there, or on the way: the document says that there is no such value.
        case null
        /// The document does not speak of it.
        case missing
    }

    var description: String {
        tokens.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }
}

extension JSONValue {
    /// What stands at `pointer`; nil for null or nothing.
    func at(_ pointer: JSONPointer) -> JSONValue? {
        if case .found(let value) = pointer.resolve(in: self) { value } else { nil }
    }

    /// What stands at the first of `pointers` that resolves.
    func at(_ pointers: [JSONPointer]) -> JSONValue? { pointers.lazy.compactMap { self.at($0) }.first }

    /// The first *string* that stands at one of `pointers`.
    func firstString(at pointers: [JSONPointer]) -> String? { pointers.lazy.compactMap { self.at($0)?.string }.first }
}
