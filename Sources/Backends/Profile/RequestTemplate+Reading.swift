import Foundation
import JSON

struct RequestDefaults {
    /// Without a trailing slash.
    let baseURL: String
    let origin: Origin?
    let headers: [RequestTemplate.NamedTemplate]
    let timeout: Duration?
    let scope: TemplateScope
}

extension RequestTemplate {
    /// Optional keys next to `request`.
    struct Keys: OptionSet {
        let rawValue: Int
        static let json = Keys(rawValue: 1)
        static let form = Keys(rawValue: 2)
        static let headers = Keys(rawValue: 4)
        static let timeout = Keys(rawValue: 8)
    }

    init?(_ table: StrictTable, _ keys: Keys, scope: TemplateScope, defaults: RequestDefaults) {
        let timeout = keys.contains(.timeout) ? table.seconds("timeout", in: Self.timeouts) : nil
        let own = keys.contains(.headers) ? Self.headers(table, scope: scope) : []
        let json = keys.contains(.json) ? Self.json("json", in: table, scope: scope) : nil
        let form = keys.contains(.form) ? Self.form(table, scope: scope) : nil
        if json != nil, form != nil { table.reject("form", expected: "either json or form, not both") }
        guard let line = table.read("request", { $0.text }),
            let (method, url) = Self.target(line, table, scope: scope.without("password", "refresh", "access"), defaults: defaults)
        else { return nil }
        if method == "GET" || method == "HEAD", json != nil || form != nil {
            table.reject("request", expected: "a method that takes a body, such as POST")
        }
        let isOwn = Origin(url.literalURL) == defaults.origin
        self.method = method
        self.url = url
        self.timeout = timeout ?? defaults.timeout
        body = json.map(Body.json) ?? form.map(Body.form)
        headers = (isOwn ? defaults.headers.filter { common in !own.contains { $0.isNamed(common.name) } } : []) + own
        if !headers.contains(where: { $0.isNamed("Accept") }) {
            headers.append(NamedTemplate(name: "Accept", value: TextTemplate(literal: "application/json")))
        }
    }

    private static func target(
        _ line: String, _ table: StrictTable, scope: TemplateScope, defaults: RequestDefaults
    ) -> (String, TextTemplate)? {
        let words = line.split(separator: " ")
        let expected = "\"METHOD /path\" or \"METHOD https://…\", with GET, POST, PUT, PATCH or DELETE"
        guard words.count == 2, ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].contains(words[0]) else {
            table.reject("request", expected: expected)
            return nil
        }
        do throws(TemplateMistake) {
            var url = try TextTemplate(parsing: String(words[1]), scope: scope)
            try url.checkWithinText()
            if let sole = url.solePlaceholder, sole.isPayload || sole.isOptional { throw TemplateMistake(found: line, expected: expected) }
            if words[1].hasPrefix("/") { url.parts.insert(.literal(defaults.baseURL), at: 0) }
            guard let origin = Origin(url.literalURL) else { throw TemplateMistake(found: "\"\(line)\"", expected: expected) }
            guard url.hasFixedOrigin else { throw TemplateMistake(found: "a placeholder in the host", expected: "a fixed host") }
            guard origin.isPrivate else {
                // Already reported at base_url.
                if words[1].hasPrefix("/") { return nil }
                throw TemplateMistake(found: "\"\(line)\"", expected: "https, or http to a loopback address")
            }
            return (String(words[0]), url)
        } catch {
            table.reject("request", expected: error.expected, found: error.found)
            return nil
        }
    }

    static func json(_ key: String, in table: StrictTable, scope: TemplateScope) -> BodyTemplate? {
        table.value(key).flatMap { BodyTemplate($0, path: table.key(key), scope: scope, mistakes: table.mistakes) }
    }

    private static func form(_ table: StrictTable, scope: TemplateScope) -> [NamedTemplate]? {
        guard table.value("form") != nil else { return nil }
        return table.map("form").compactMap { field in
            template(field.value, field.name, path: field.path, scope: scope, mistakes: table.mistakes)
        }
    }

    static func headers(_ table: StrictTable, scope: TemplateScope) -> [NamedTemplate] {
        table.map("headers").compactMap { header in
            guard header.name.isHeaderName, !NamedTemplate.ours.contains(header.name.lowercased()) else {
                table.mistakes.add(
                    at: header.value, key: header.path, found: "\"\(header.name)\"",
                    expected: "a header name other than \(NamedTemplate.ours.sorted().joined(separator: ", "))")
                return nil
            }
            return template(header.value, header.name, path: header.path, scope: scope, mistakes: table.mistakes)
        }
    }

    private static func template(
        _ node: YAMLNode, _ name: String, path: String, scope: TemplateScope, mistakes: MistakeCollector
    ) -> NamedTemplate? {
        do throws(TemplateMistake) {
            guard let text = node.text else { throw TemplateMistake(found: node.summary, expected: "text; put it in quotes") }
            let template = try TextTemplate(parsing: text, scope: scope)
            if template.solePlaceholder?.isPayload != false { try template.checkWithinText() }
            guard !template.literal.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
                throw TemplateMistake(found: "a control character", expected: "text on one line")
            }
            return NamedTemplate(name: name, value: template)
        } catch {
            mistakes.add(at: node, key: path, found: error.found, expected: error.expected)
            return nil
        }
    }
}

extension RequestTemplate.NamedTemplate {
    func isNamed(_ other: String) -> Bool { name.isFieldName(other) }

    /// Set by Homing itself.
    static let ours: Set<String> = [
        "host", "cookie", "content-type", "content-length", "content-encoding", "transfer-encoding", "connection", "accept-encoding",
    ]
}

extension String {
    /// Token characters (RFC 9110 5.6.2).
    private static let tokenBytes = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

    var isHeaderName: Bool { !isEmpty && utf8.allSatisfy { Self.tokenBytes.contains($0) } }
}

extension TextTemplate {
    /// The path begins before the first placeholder, so none can change the origin.
    fileprivate var hasFixedOrigin: Bool {
        guard !placeholders.isEmpty else { return true }
        let start = parts.prefix { if case .literal = $0 { true } else { false } }
        let fixed = start.map { if case .literal(let text) = $0 { text } else { "" } }.joined()
        guard let authority = fixed.range(of: "://") else { return false }
        return fixed[authority.upperBound...].contains("/")
    }

    /// With `x` for every placeholder.
    package var literalURL: String { parts.map { if case .literal(let text) = $0 { text } else { "x" } }.joined() }
}
