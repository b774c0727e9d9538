import Foundation
import SyncModel

extension Profile {
    /// - Parameter node: already merged with its `extends`.
    init?(_ node: YAMLNode, constants: [String: String], mistakes: MistakeCollector) {
        guard let table = StrictTable(node, mistakes: mistakes, declared: ProfileKeys.root) else { return nil }
        _ = table.value("extends")
        _ = table.read("schema") { if case .scalar(_, .int(1)) = $0.content { true } else { nil } }
        let name = table.read("name") { node in node.text.flatMap { $0.isProfileName ? $0 : nil } }
        let base = table.read("base_url", Self.base)
        let former = table.list("formerly") { $0.text.flatMap(Self.address) }
        let timeout = table.seconds("timeout", in: RequestTemplate.timeouts)
        let scope = TemplateScope(constants: constants.merging(Self.vars(table, reserved: constants)) { ours, _ in ours })
        let defaults = RequestDefaults(
            baseURL: base ?? "https://base-url.invalid", origin: Origin(base ?? "https://base-url.invalid"),
            headers: RequestTemplate.headers(table, scope: scope), timeout: timeout, scope: scope)
        let auth = table.table("auth").flatMap { AuthRules($0, defaults: defaults) }
        let health = table.table("health").flatMap { HealthRules($0, defaults: defaults) }
        let errors = table.table("errors").map(ErrorRules.init)
        let idempotency = table.table("idempotency").flatMap(IdempotencyRules.init)
        let declared = table.map("routes")
        if declared.isEmpty, !mistakes.all.contains(where: { $0.key == "routes" }) {
            table.reject("routes", expected: "at least one route, because Homing sends nothing without one", found: "none")
        }
        // The name of a route is that of its lane, unless it declares one.
        for route in declared where route.name.unicodeScalars.contains(where: \.isSteering) {
            mistakes.add(at: route.value, key: route.path, found: "the name \"\(route.name)\"", expected: Route.laneText)
        }
        let routes = declared.compactMap { route in
            table.table(of: route, in: "routes").flatMap { Route(route.name, $0, defaults: defaults) }
        }
        // A mistaken table counts as absent, which could change `means`.
        if auth?.means == .refreshToken, !mistakes.all.contains(where: { $0.key.hasPrefix("auth.") }) { Self.checkAccountIsNamed(table) }
        let address = base.map { Self.address($0) ?? $0 } ?? ""
        let resources = Resource.all(table, address: address, defaults: defaults)
        Self.checkResourceNames(in: declared, table)
        Self.checkFollowers(of: routes, declared, mistakes)
        Self.checkRows(of: routes, in: resources, declared, mistakes)
        table.close()
        guard let name, let base, let origin = Origin(base), let auth else { return nil }
        source = node
        self.name = name
        self.baseURL = base
        self.origin = origin
        self.address = address
        formerAddresses = former ?? []
        self.auth = auth
        self.health = health
        self.errors = errors ?? ErrorRules()
        self.idempotency = idempotency
        self.routes = Dictionary(routes.map { ($0.name, $0) }) { first, _ in first }
        self.resources = resources
    }

    private static func base(_ node: YAMLNode) -> String? {
        guard var url = node.text, let origin = Origin(url), origin.isPrivate,
            url.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"?#{}\\".utf8.contains($0) })
        else {
            return nil
        }
        while url.hasSuffix("/") { url.removeLast() }
        return url
    }

    /// With port, without trailing slash, scheme and host in lower case.
    private static func address(_ url: String) -> String? {
        guard let origin = Origin(url), let parts = URLComponents(string: url), parts.query == nil, parts.fragment == nil else {
            return nil
        }
        var path = parts.percentEncodedPath
        while path.hasSuffix("/") { path.removeLast() }
        return origin.description + path
    }

    private static func vars(_ table: StrictTable, reserved: [String: String]) -> [String: String] {
        var vars: [String: String] = [:]
        for entry in table.map("vars") {
            if let text = entry.value.text, reserved[entry.name] == nil {
                vars[entry.name] = text
            } else {
                let expected =
                    reserved[entry.name] == nil ? "text" : "a name other than \(reserved.keys.sorted().joined(separator: ", "))"
                table.mistakes.add(at: entry.value, key: entry.path, expected: expected)
            }
        }
        return vars
    }

    /// With a pasted refresh token, the refresh answer or the health route must name the account.
    private static func checkAccountIsNamed(_ table: StrictTable) {
        guard !table.keys.contains("health"), let refresh = table.node.member("auth")?.member("refresh"), refresh.member("account") == nil
        else { return }
        table.mistakes.add(
            at: refresh, key: "auth.refresh.account", found: "nothing",
            expected: "a pointer to the account in the answer, or the table health: signing in with a refresh token needs one of them")
    }

    /// Uses the names as written, so that a mistake in a resource is reported once.
    private static func checkResourceNames(in routes: [(name: String, value: YAMLNode, path: String)], _ table: StrictTable) {
        let names = if case .table(let members)? = table.node.member("resources")?.content { members.map(\.key) } else { [String]() }
        func check(_ item: YAMLNode, _ key: String) {
            guard let text = item.text, !names.contains(text) else { return }
            let known = names.isEmpty ? "" : ": \(names.sorted().joined(separator: ", "))"
            table.mistakes.add(at: item, key: key, expected: "a resource of this profile\(known)")
        }
        for route in routes {
            if let touches = route.value.member("touches") {
                if case .list(let items) = touches.content {
                    for (index, item) in items.enumerated() { check(item, "\(route.path).touches.\(index)") }
                } else {
                    check(touches, "\(route.path).touches")
                }
            }
            for key in ["creates", "changes", "deletes"] {
                if let resource = route.value.member(key) { check(resource, "\(route.path).\(key)") }
            }
            if let resource = route.value.member("row")?.member("resource") { check(resource, "\(route.path).row.resource") }
            guard case .table(let fields)? = route.value.member("fields")?.content else { continue }
            for field in fields {
                if let reference = field.value.member("reference") { check(reference, "\(route.path).fields.\(field.key).reference") }
            }
        }
    }
}

extension Profile.HealthRules {
    fileprivate init?(_ table: StrictTable, defaults: RequestDefaults) {
        defer { table.close() }
        let request = RequestTemplate(table, [], scope: defaults.scope, defaults: defaults)
        let account = table.pointer("account")
        if let request, request.method != "GET" {
            table.reject("request", expected: "GET, because a health check must not change anything")
        }
        guard let request, let account else { return nil }
        self.init(request: request, account: account)
    }
}

extension Profile.IdempotencyRules {
    fileprivate init?(_ table: StrictTable) {
        defer { table.close() }
        let header = table.headerName("header")
        let quoted = table.bool("quoted") ?? false
        let lifetime = table.seconds("key_ttl")
        guard let header else { return nil }
        self.init(header: header, isQuoted: quoted, keyLifetime: lifetime)
    }
}

extension String {
    var isProfileName: Bool {
        (1...64).contains(count) && allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-" || $0 == "_") } && first != "-"
    }
}
