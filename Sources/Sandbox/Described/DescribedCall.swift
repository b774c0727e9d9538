import Foundation

/// One request of a profile. Recognizes requests and reads their values by inverting the templates.
struct DescribedCall: Sendable {
    enum Purpose: Sendable, Equatable {
        case csrf, login, refresh, logout, logoutEverywhere, health
        case find(String)
        case route(String)
        case resource(String)
    }

    let purpose: Purpose
    /// The table of the profile that describes the request.
    let table: JSON
    let method: String
    /// `METHOD /path` from the profile.
    let line: String
    private let segments: [TextPattern]
    private let query: [String: TextPattern]
    private let headers: [String: TextPattern]
    private let body: JSON?
    private let isForm: Bool
    private let vars: [String: String]

    /// Nil if the table describes no request.
    init?(_ purpose: Purpose, _ table: JSON?, of profile: JSON) {
        let vars = profile["vars"]?.members?.compactMapValues(\.text) ?? [:]
        let words = table?["request"]?.text?.split(separator: " ").map(String.init) ?? []
        guard let table, words.count == 2 else { return nil }
        let base = profile["base_url"]?.text ?? ""
        let written = vars.reduce(words[1]) { $0.replacing("{\($1.key)}", with: $1.value) }
        let isOwn = written.hasPrefix("/") || written.hasPrefix(base)
        let url = (written.hasPrefix("/") ? Self.path(of: base) : "") + Self.path(of: written)
        let parts = url.split(separator: "?", maxSplits: 1).map(String.init)
        self.purpose = purpose
        self.table = table
        self.vars = vars
        method = words[0]
        line = "\(words[0]) \(parts.first ?? "/")"
        segments = (parts.first ?? "").split(separator: "/").map { TextPattern(Self.plain($0), vars: vars) }
        query = Self.patterns(
            parts.dropFirst().flatMap { $0.split(separator: "&") }.map { pair in
                let sides = pair.split(separator: "=", maxSplits: 1).map(Self.plain)
                return (sides[0], sides.count > 1 ? sides[1] : "")
            }, vars)
        let common = isOwn ? profile["headers"]?.members ?? [:] : [:]
        headers = Self.patterns((Array(common) + Array(table["headers"]?.members ?? [:])).map { ($0.lowercased(), $1.text ?? "") }, vars)
        isForm = table["form"] != nil
        body = purpose == .logoutEverywhere ? table["json_all"] : table["json"] ?? table["form"]
    }

    /// The path and query, without a trailing slash.
    private static func path(of url: String) -> String {
        guard let authority = url.range(of: "://") else { return url }
        let rest = url[authority.upperBound...]
        let path = rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? ""
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    private static func plain(_ text: some StringProtocol) -> String { text.removingPercentEncoding ?? String(text) }

    private static func patterns(_ pairs: [(String, String)], _ vars: [String: String]) -> [String: TextPattern] {
        Dictionary(pairs.map { ($0, TextPattern($1, vars: vars)) }) { $1 }
    }

    func isMeant(by request: SandboxRequest) -> Bool { method == request.method && valuesInPath(of: request) != nil }

    /// The placeholders' values; throws 400 if the request does not match.
    func values(in request: SandboxRequest) throws(Refusal) -> JSONObject {
        var values = valuesInPath(of: request) ?? [:]
        for (name, pattern) in query.sorted(by: { $0.key < $1.key }) {
            guard let found = request.query[name].flatMap(pattern.values) else {
                throw Refusal(400, "", "the query parameter \(name) is missing or does not match the profile")
            }
            values.merge(found) { $1 }
        }
        for (name, pattern) in headers.sorted(by: { $0.key < $1.key }) {
            if pattern.isOptional, request.header(name) == nil { continue }
            guard let found = request.header(name).flatMap(pattern.values) else {
                throw Refusal(400, "", "the header \(name) is missing or does not match the profile")
            }
            values.merge(found) { $1 }
        }
        try body?.read(bodyOf(request), vars: vars, into: &values)
        return values
    }

    /// The body as JSON; a form becomes an object of strings. Nil if it is neither.
    func bodyOf(_ request: SandboxRequest) -> JSON? {
        if isForm { return .object(FormBody.read(String(decoding: request.body, as: UTF8.self))) }
        let isZipped = table["compress"] == "gzip" && request.header("content-encoding") == "gzip"
        // `try?`: a body that is not JSON is nil
        return (isZipped ? request.unzippedBody : request.body).flatMap { try? JSON(bytes: $0) }
    }

    private func valuesInPath(of request: SandboxRequest) -> JSONObject? {
        let path = request.decodedSegments
        guard path.count == segments.count else { return nil }
        var values: JSONObject = [:]
        for (pattern, segment) in zip(segments, path) {
            guard let found = pattern.values(in: segment) else { return nil }
            values.merge(found) { $1 }
        }
        return values
    }
}

extension DescribedCall {
    /// Every request of a profile; of overlapping ones, the more specific comes first.
    static func all(of profile: JSON) -> [DescribedCall] {
        func named(_ key: String) -> [(name: String, table: JSON)] {
            (profile[key]?.members ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
        let auth = profile["auth"]
        let everywhere = auth?["logout"].flatMap { logout in
            logout["json_all"].flatMap { _ in DescribedCall(.logoutEverywhere, logout, of: profile) }
        }
        var calls = [
            DescribedCall(.csrf, auth?["csrf"], of: profile), DescribedCall(.login, auth?["login"], of: profile),
            DescribedCall(.refresh, auth?["refresh"], of: profile), everywhere, DescribedCall(.logout, auth?["logout"], of: profile),
            DescribedCall(.health, profile["health"], of: profile),
        ]
        calls += named("routes").map { DescribedCall(.route($0.name), $0.table, of: profile) }
        calls += named("routes").map { DescribedCall(.find($0.name), $0.table["find"], of: profile) }
        calls += named("resources").map { DescribedCall(.resource($0.name), $0.table, of: profile) }
        return calls.compactMap(\.self)
    }
}
