import JSON

extension JSON {
    /// The value at a JSON pointer (RFC 6901).
    func at(_ pointer: String) -> JSON? {
        var place: JSON? = self
        for token in Self.tokens(of: pointer) {
            if let elements = place?.elements {
                place = Int(token).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            } else {
                place = place?[token]
            }
        }
        return place
    }

    /// Puts a value at a pointer. Creates missing parents: an array if the next token is 0, otherwise an object.
    mutating func put(_ value: JSON, at pointer: String) { self = putting(value, at: Self.tokens(of: pointer)[...]) }

    private func putting(_ value: JSON, at tokens: ArraySlice<String>) -> JSON {
        guard let token = tokens.first else { return value }
        let isPristine = self == .null || members?.isEmpty == true
        if token == "0", isPristine || elements != nil {
            let rest = elements ?? []
            return .array([(rest.first ?? .null).putting(value, at: tokens.dropFirst())] + rest.dropFirst())
        }
        var object = members ?? [:]
        object[token] = (object[token] ?? .null).putting(value, at: tokens.dropFirst())
        return .object(object)
    }

    private static func tokens(of pointer: String) -> [String] { JSONPointer(pointer)?.tokens ?? [] }

    /// Where the sandbox puts the value.
    var firstPointer: String? { text ?? elements?.first?.text }
}
