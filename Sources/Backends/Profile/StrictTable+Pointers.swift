import JSON

extension StrictTable {
    static let expectedPointer = "a JSON pointer such as /data/id"
    static let expectedPointers = "a JSON pointer such as /data/id, or a list of them"

    func pointer(_ key: String) -> JSONPointer? {
        read(key, expected: Self.expectedPointer) { $0.text.flatMap(JSONPointer.init) }
    }

    /// The first that resolves is used.
    func pointers(_ key: String, required: Bool = false) -> [JSONPointer] {
        if required || isRequired(key), !keys.contains(key) {
            _ = value(key, required: Self.expectedPointers)
            return []
        }
        return list(key, expected: Self.expectedPointers) { $0.text.flatMap(JSONPointer.init) } ?? []
    }
}
