import JSON

extension StrictTable {
    func pointer(_ key: String, required: Bool = false) -> JSONPointer? {
        read(key, required: required, expected: "a JSON pointer such as /data/id") { $0.text.flatMap(JSONPointer.init) }
    }

    /// The first that resolves is used.
    func pointers(_ key: String, required: Bool = false) -> [JSONPointer] {
        let expected = "a JSON pointer such as /data/id, or a list of them"
        if required, !keys.contains(key) {
            _ = value(key, required: expected)
            return []
        }
        return list(key, expected: expected) { $0.text.flatMap(JSONPointer.init) } ?? []
    }
}
