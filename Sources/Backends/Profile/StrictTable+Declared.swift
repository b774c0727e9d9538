/// Reading by declarations.
extension StrictTable {
    /// Reads a key. Its declaration has the expected form, and says whether the key is required.
    func read<T>(_ key: String, _ parse: (YAMLNode) -> T?) -> T? { read(key, expected: expected(key), parse) }

    /// Reads a value or a list of values.
    func list<T>(_ key: String, _ parse: (YAMLNode) -> T?) -> [T]? { list(key, expected: expected(key), parse) }

    /// True only with declarations.
    func isRequired(_ key: String) -> Bool { declared?[key]?.isRequired ?? false }

    /// The table that is the value of `key`, in a table of keys or of user-chosen names. The caller closes it.
    func table(_ key: String, _ value: YAMLNode) -> StrictTable? {
        StrictTable(value, path: self.key(key), mistakes: mistakes, declared: declared?.table(key))
    }

    /// The table of a member of `map(key)`.
    func table(of member: (name: String, value: YAMLNode, path: String), in key: String) -> StrictTable? {
        StrictTable(member.value, path: member.path, mistakes: mistakes, declared: declared?.table(key).table(member.name))
    }

    /// The table that is an item of the list at `key`.
    func item(_ index: Int, _ value: YAMLNode, of key: String) -> StrictTable? {
        StrictTable(value, path: self.key("\(key).\(index)"), mistakes: mistakes, declared: declared?.table(key))
    }

    private func expected(_ key: String) -> String {
        guard let declaration = declared?[key] else { preconditionFailure("the key \(self.key(key)) is not declared") }
        return declaration.type
    }
}
