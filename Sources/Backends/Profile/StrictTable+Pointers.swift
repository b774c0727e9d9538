import JSON

extension StrictTable {
    static let expectedPointer = "a JSON pointer such as /data/id"
    static let expectedPointers = "a JSON pointer such as /data/id, or a list of them"

    func pointer(_ key: String) -> JSONPointer? {
        read(key, expected: Self.expectedPointer) { $0.text.flatMap(JSONPointer.init) }
    }

    /// The first that resolves is used. A required list has at least one.
    func pointers(_ key: String, required: Bool = false) -> [JSONPointer] {
        if required || isRequired(key) {
            guard let node = value(key, required: Self.expectedPointers) else { return [] }
            if case .list(let items) = node.content, items.isEmpty {
                reject(key, expected: Self.expectedPointers, found: "an empty list")
                return []
            }
        }
        return list(key, expected: Self.expectedPointers) { $0.text.flatMap(JSONPointer.init) } ?? []
    }
}
