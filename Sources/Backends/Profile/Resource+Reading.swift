import Foundation
import JSON
import SyncModel

extension Resource {
    /// In the order of the file.
    static func all(_ profile: StrictTable, address: String, defaults: RequestDefaults) -> [Resource] {
        var resources: [Resource] = []
        let all = profile.map("resources")
        for declared in all {
            guard let table = profile.table(of: declared, in: "resources"),
                let resource = Resource(declared.name, table, address: address, defaults: defaults)
            else { continue }
            let many = resource.title.many
            if resources.contains(where: { $0.title.many.lowercased() == many.lowercased() }) {
                table.reject("title", expected: "a word for many rows that no other resource uses", found: "\"\(many)\"")
            }
            resources.append(resource)
        }
        checkParents(of: all, profile.mistakes)
        return resources
    }

    private init?(_ name: String, _ table: StrictTable, address: String, defaults: RequestDefaults) {
        defer { table.close() }
        if !name.isProfileName { table.reject(nil, expected: "a name of lowercase letters, digits, - and _", found: "\"\(name)\"") }
        let scope = table.keys.contains("parent") ? defaults.scope.adding("parent") : defaults.scope
        let request = RequestTemplate(table, [], scope: scope, defaults: defaults)
        let (parent, gone) = Self.parent(table, request)
        if let request, request.method != "GET" {
            table.reject("request", expected: "GET, because reading must not change anything")
        } else if let request, Origin(request.url.literalURL) != defaults.origin {
            table.reject("request", expected: "a path at base_url, because rows belong to the signed-in account")
        }
        let list = table.pointer("list")
        let id = table.read("id") { $0.rowPointer }
        let label = table.rowPointers("label", Self.labels)
        let keep = table.rowPointers("keep", Self.kept)
        let created = table.read("created") { node in node.rowPointer.flatMap { keep.firstIndex(of: $0) } }
        let title = table.table("title").flatMap(Title.init)
        let pages = table.table("pages").flatMap(Pages.init)
        let maxAge = table.seconds("max_age", in: Self.ages)
        guard let request, let list, let id else { return nil }
        let word = name.replacing("_", with: " ")
        self.init(
            name: name, title: title ?? Title(one: word, many: word), request: request, parent: parent, gone: gone, list: list,
            id: id, label: label.isEmpty ? [id] : label, keep: keep, created: created, pages: pages, maxAge: maxAge ?? .seconds(86_400),
            source: JSONValue.array([.string(address), table.node.json]).serialized)
    }
}

extension Resource.Title {
    init?(_ table: StrictTable) {
        defer { table.close() }
        func word(_ key: String) -> String? {
            table.read(key) { node in
                guard let text = node.text, (1...40).contains(text.count), text.first?.isUppercase == false,
                    text.first?.isWhitespace == false, text.last?.isWhitespace == false, !text.unicodeScalars.contains(where: \.isSteering)
                else { return nil }
                return text
            }
        }
        let (one, many) = (word("one"), word("many"))
        guard let one, let many else { return nil }
        self.init(one: one, many: many)
    }
}

extension StrictTable {
    fileprivate func rowPointers(_ key: String, _ count: ClosedRange<Int>) -> [JSONPointer] {
        if case .list(let items)? = node.member(key)?.content, !count.contains(items.count) {
            reject(key, expected: "\(count.lowerBound) to \(count.upperBound) pointers", found: "\(items.count)")
        }
        let pointers = list(key) { $0.rowPointer } ?? []
        if Set(pointers).count < pointers.count { reject(key, expected: "each pointer only once", found: "a pointer twice") }
        return pointers
    }
}

extension YAMLNode {
    fileprivate var rowPointer: JSONPointer? { text.flatMap(JSONPointer.init).flatMap { $0.tokens.isEmpty ? nil : $0 } }
}
