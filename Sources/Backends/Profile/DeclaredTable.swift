/// The declarations for one table of a file.
struct DeclaredTable: Sendable {
    private let keys: [String: DeclaredKey]
    private var path = ""

    /// The top level.
    init(_ keys: [DeclaredKey]) { self.keys = Dictionary(keys.map { ($0.path, $0) }) { first, _ in first } }

    subscript(name: String) -> DeclaredKey? { keys[place(of: name)] }

    /// The table at a key. A key without a declaration is a user-chosen name.
    func table(_ name: String) -> DeclaredTable {
        var table = self
        table.path = self[name] == nil ? place(of: "NAME") : place(of: name)
        return table
    }

    private func place(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}
