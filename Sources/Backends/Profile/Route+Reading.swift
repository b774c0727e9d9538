import JSON
import SyncModel

extension Route {
    init?(_ name: String, _ table: StrictTable, defaults: RequestDefaults) {
        defer { table.close() }
        title = table.table("title").flatMap(Resource.Title.init)
        let scope = defaults.scope.withItems
        let (request, isRequestSound) = Self.markedRequest(table, scope: scope, defaults: defaults)
        (fields, references) = Self.fields(table)
        requires = table.pointers("requires")
        if !requires.isEmpty, isRequestSound, request?.json?.takesPayload != true {
            table.reject("requires", expected: "{item.payload} in json, because requires applies to the payload")
        }
        allowsEmpty = table.bool("empty") ?? false
        promises = table.pointers("promises")
        remoteID = table.pointers("remote_id")
        if allowsEmpty, !remoteID.isEmpty { table.reject("empty", expected: "either empty or remote_id, not both") }
        if allowsEmpty, !promises.isEmpty { table.reject("empty", expected: "either empty or promises, not both") }
        repeats = table.identifyingValues("repeats", scope: scope)
        if allowsEmpty, !repeats.isEmpty { table.reject("empty", expected: "either empty or repeats, not both") }
        lane = table.read("lane") { Self.lane($0, "lane", table, scope: scope) }
        onDead = table.choice("on_dead", as: OnDead.self) == .skip ? .skip : .halt
        delivery = table.choice("delivery") ?? .atLeastOnce
        unknownOn = Set(
            table.list("unknown_on") { node in
                if case .scalar(_, .int(let status)) = node.content, (400...599).contains(status) { Int(status) } else { nil }
            } ?? [])
        gone = Set(table.texts("gone") ?? [])
        if !gone.isEmpty, let request, request.method != "DELETE" { table.reject("gone", expected: "a DELETE request") }
        echo = table.pointer("echo")
        mostLevels = table.int("max_depth", in: Self.depths)
        compress = table.choice("compress")
        let ofPayload = ["echo", "max_depth", "compress"]
        for key in ofPayload where table.keys.contains(key) && isRequestSound && request?.json?.takesPayload != true {
            table.reject(key, expected: "{item.payload} in json, because \(key) applies to the payload")
        }
        let (after, behind) = Self.earlierLane(table, scope: scope)
        isBehind = behind != nil
        afterSubject = after == TextTemplate(literal: "subject")
        self.after = afterSubject ? nil : after ?? behind
        if afterSubject, references.isEmpty {
            table.reject("after", expected: "a reference in fields, because the first one names the subject")
        }
        touches = table.texts("touches") ?? []
        reasons = RefusalReason.all(table, request: isRequestSound ? request : nil, lane: lane, scope: scope)
        find = table.table("find").flatMap { Find($0, defaults: defaults) }
        if table.keys.contains("find"), !table.keys.contains("marker") {
            table.reject("find", expected: "the key marker in the same route: without the entry's id in the body, a look-up cannot find it")
        }
        deletion = Deletion(table, subject: references.first, request: isRequestSound ? request : nil, defaults: defaults)
        rows = RowRules(table, subject: references.first, takesPayload: isRequestSound ? request?.json?.takesPayload ?? false : nil)
        guard let request else { return nil }
        self.name = name
        self.request = request
        checkFieldsAreUsed(table)
    }

    enum OnDead: String, CaseIterable { case halt, skip }

    /// Contains the marker if reading the request found no mistakes.
    private static func markedRequest(
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
    private static func earlierLane(_ table: StrictTable, scope: TemplateScope) -> (after: TextTemplate?, behind: TextTemplate?) {
        let after = table.read("after") { lane($0, "after", table, scope: scope) }
        let behind = table.read("behind") { lane($0, "behind", table, scope: scope) }
        if after != nil, behind != nil { table.reject("behind", expected: "either after or behind") }
        return (after, behind)
    }

    /// A field is a type, or a table of a type and a reference.
    private static func fields(_ table: StrictTable) -> ([String: FieldType], [Reference]) {
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
    private func checkFieldsAreUsed(_ table: StrictTable) {
        let used = usedFields
        for name in fields.keys.sorted() where !used.contains(name) {
            table.reject("fields", expected: "fields that the route uses", found: "\"\(name)\"")
        }
    }

    private static func lane(_ node: YAMLNode, _ key: String, _ table: StrictTable, scope: TemplateScope) -> TextTemplate? {
        guard let text = node.text, !text.isEmpty else { return nil }
        do {
            let lane = try TextTemplate(parsing: text, scope: scope)
            try lane.checkWithinText()
            return lane
        } catch {
            table.reject(key, expected: error.expected, found: error.found)
            return TextTemplate(literal: text)
        }
    }
}

extension Route.Find {
    fileprivate init?(_ table: StrictTable, defaults: RequestDefaults) {
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
