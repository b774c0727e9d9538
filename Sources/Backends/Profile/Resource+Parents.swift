/// A resource with a parent is read once for every row of the parent; see ListsInLists.
extension Resource {
    /// - Parameter request: nil if it has a mistake.
    static func parent(_ table: StrictTable, _ request: RequestTemplate?) -> (name: String?, gone: CodeList) {
        let name = table.text("parent")
        let gone = CodeList(table.texts("gone"))
        let hasParent = table.keys.contains("parent")
        if hasParent, let request, !request.placeholders.contains(where: { $0.name == "parent" }) {
            table.reject("parent", expected: "{parent} in the request of the same resource: the id of a row of the parent")
        }
        if !hasParent, table.keys.contains("gone") { table.reject("gone", expected: "the key parent in the same resource") }
        return (name, gone)
    }

    /// Uses the names as written, so that a mistake in a resource is reported once.
    static func checkParents(of declared: [(name: String, value: YAMLNode, path: String)], _ mistakes: MistakeCollector) {
        let names = declared.map(\.name).sorted()
        var parents: [String: String] = [:]
        for resource in declared { parents[resource.name] = resource.value.member("parent")?.text }
        for resource in declared {
            guard let node = resource.value.member("parent"), let parent = parents[resource.name] else { continue }
            func reject(_ expected: String) { mistakes.add(at: node, key: "\(resource.path).parent", expected: expected) }
            if !names.contains(parent) {
                reject("another resource of this profile: \(names.filter { $0 != resource.name }.joined(separator: ", "))")
            } else if leads(parent, to: resource.name, by: parents) {
                reject("a resource that is not read for the rows of \(resource.name) itself, also not through other parents")
            }
        }
    }

    private static func leads(_ start: String, to name: String, by parents: [String: String]) -> Bool {
        var place: String? = start
        // A longer chain contains a cycle of other resources.
        for _ in 0...parents.count {
            if place == name { return true }
            place = place.flatMap { parents[$0] }
        }
        return false
    }
}
