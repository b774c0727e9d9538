import JSON
import SyncModel

extension Route {
    enum OnDead: String, CaseIterable { case halt, skip }

    /// Contains the marker if reading the request found no mistakes.
    static func markedRequest(
        _ table: StrictTable, scope: TemplateScope, defaults: RequestDefaults
    ) -> (request: RequestTemplate?, isSound: Bool) {
        let mistakesBefore = table.mistakes.all.count
        let requestScope = table.keys.contains("row") ? scope.withRows : scope
        var request = RequestTemplate(table, [.json, .headers, .timeout], scope: requestScope, defaults: defaults)
        let isSound = table.mistakes.all.count == mistakesBefore
        if let marker = table.pointer("marker"), isSound, request != nil {
            if let body = request?.json?.marked(at: marker.tokens[...]) {
                request?.body = .json(body)
            } else {
                table.reject("marker", expected: "a pointer to a new member of an object in json, or of {item.payload} itself")
            }
        }
        return (request, isSound)
    }

    /// The lane of the entries that must be delivered first, or only tried first (`behind`).
    static func earlierLane(_ table: StrictTable, scope: TemplateScope) -> (after: TextTemplate?, behind: TextTemplate?) {
        let after = table.read("after") { lane($0, "after", table, scope: scope) }
        let behind = table.read("behind") { lane($0, "behind", table, scope: scope) }
        if after != nil, behind != nil { table.reject("behind", expected: "either after or behind") }
        return (after, behind)
    }

    /// A field is a type, or a table of a type and a reference.
    static func fields(_ table: StrictTable) -> ([String: FieldType], [Reference]) {
        guard let declared = table.table("fields") else { return ([:], []) }
        var (fields, references): ([String: FieldType], [Reference]) = ([:], [])
        for name in declared.keys {
            guard case .table? = declared.node.member(name)?.content, let rule = declared.table(name) else {
                fields[name] = declared.choice(name)
                continue
            }
            fields[name] = rule.choice("type", as: FieldType.self) ?? .text
            if let resource = rule.text("reference") { references.append(Reference(field: name, resource: resource)) }
            rule.close()
        }
        return (fields, references)
    }

    /// A misspelt name would leave the intended field unchecked.
    func checkFieldsAreUsed(_ table: StrictTable) {
        let used = usedFields
        for name in fields.keys.sorted() where !used.contains(name) {
            table.reject("fields", expected: "fields that the route uses", found: "\"\(name)\"")
        }
    }

    /// People see lanes in lists and messages.
    static let laneText = "text on one line without control characters"

    static func lane(_ node: YAMLNode, _ key: String, _ table: StrictTable, scope: TemplateScope) -> TextTemplate? {
        guard let text = node.text, !text.isEmpty else { return nil }
        do throws(TemplateMistake) {
            let lane = try TextTemplate(parsing: text, scope: scope)
            try lane.checkWithinText()
            guard !lane.literal.unicodeScalars.contains(where: \.isSteering) else {
                throw TemplateMistake(found: "\"\(text)\"", expected: Self.laneText)
            }
            return lane
        } catch {
            table.reject(key, expected: error.expected, found: error.found)
            return TextTemplate(literal: text)
        }
    }
}

extension Route.Find {
    init?(_ table: StrictTable, defaults: RequestDefaults) {
        defer { table.close() }
        let request = RequestTemplate(table, [], scope: defaults.scope.withItems, defaults: defaults)
        let list = table.pointer("list")
        let match = table.pointer("match")
        let remoteID = table.pointer("remote_id")
        let echo = table.pointer("echo")
        let pages = table.table("pages").flatMap(Pages.init)
        if let request, !request.method.isSafeMethod {
            table.reject("request", expected: "GET, because a look-up must not change anything")
        }
        guard let request, let list, let match, let remoteID else { return nil }
        self.init(request: request, list: list, match: match, remoteID: remoteID, echo: echo, pages: pages)
    }
}

extension String {
    fileprivate var isSafeMethod: Bool { self == "GET" || self == "HEAD" }
}
