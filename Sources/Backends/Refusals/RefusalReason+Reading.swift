import SyncModel

extension RefusalReason {
    static func all(_ route: StrictTable, request: RequestTemplate?, lane: TextTemplate?, scope: TemplateScope) -> [RefusalReason] {
        let allowed = Allowed(
            shown: request.map { Route.identifyingFields($0, lane) },
            used: request.map { ($0.placeholders + (lane?.placeholders ?? [])).itemFields },
            takesPayload: request.map { $0.json?.takesPayload ?? false } ?? true, scope: scope.adding("account"))
        let nodes = route.list("reasons") { $0 } ?? []
        return nodes.enumerated().compactMap { index, node in
            route.item(index, node, of: "reasons").flatMap { RefusalReason($0, allowed) }
        }
    }

    private struct Allowed {
        /// Fields for people, and all fields; nil if they are unknown.
        let shown, used: Set<String>?
        let takesPayload: Bool
        let scope: TemplateScope
    }

    private init?(_ table: StrictTable, _ allowed: Allowed) {
        defer { table.close() }
        let statuses = table.list("status") { node in
            if case .scalar(_, .int(let status)) = node.content, (200...599).contains(status) { Int(status) } else { nil }
        }
        let message = table.texts("message").map { CodeList($0) }
        if !table.keys.contains("status"), !table.keys.contains("message") {
            table.reject(nil, expected: "status or message: the answers that the words are for", found: "neither")
        }
        let words = table.read("words") { Self.words($0, table, allowed) }
        let fix = table.read("fix", expected: Self.fixes(allowed)) { Self.fix($0, allowed) }
        guard let words else { return nil }
        self.init(statuses: Set(statuses ?? []), message: message, words: words, fix: fix)
    }

    private static func words(_ node: YAMLNode, _ table: StrictTable, _ allowed: Allowed) -> TextTemplate? {
        guard let text = node.text, (1...300).contains(text.count), !text.unicodeScalars.contains(where: \.isSteering) else { return nil }
        do throws(TemplateMistake) {
            let words = try TextTemplate(parsing: text, scope: allowed.scope)
            let fields = words.placeholders.filter { $0.field != nil }
            if let shown = allowed.shown, let other = fields.first(where: { !shown.contains($0.field ?? "") }) {
                throw TemplateMistake(
                    found: "{\(other.name)}",
                    expected: "item fields that are in the request’s URL or in the lane, because others stay sealed")
            }
            return words
        } catch {
            table.reject("words", expected: error.expected, found: error.found)
            return TextTemplate(literal: text)
        }
    }

    private static func fix(_ node: YAMLNode, _ allowed: Allowed) -> Fix? {
        guard let name = node.text else { return nil }
        if name == "payload" { return allowed.takesPayload ? .payload : nil }
        return allowed.used?.contains(name) ?? true ? .field(name) : nil
    }

    private static func fixes(_ allowed: Allowed) -> String {
        let names = (allowed.used ?? []).sorted() + (allowed.takesPayload ? ["payload"] : [])
        return names.isEmpty ? "no fix, because the route has neither fields nor a payload" : "one of \(names.joined(separator: ", "))"
    }
}
