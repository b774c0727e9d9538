import SyncModel

/// How a backend words its errors: the table `errors`. Codes compare without regard to case.
struct ErrorRules: Sendable {
    var ok: JSONPointer?
    var code: [JSONPointer] = []
    var message: [JSONPointer] = []
    /// Codes of routes that mean: nobody is signed in.
    var auth: Set<String> = []
    /// Codes of login and refresh answers that mean: the person has to sign in again.
    var relogin: Set<String> = []
    /// Codes that mean: another try may succeed.
    var retry: Set<String> = []
    /// Codes of routes that mean: refused for good.
    var dead: Set<String> = []

    init() {}

    init(_ table: StrictTable) {
        defer { table.close() }
        ok = table.pointer("ok")
        code = table.pointers("code")
        message = table.pointers("message")
        auth = Self.codes("auth", table)
        relogin = Self.codes("relogin", table)
        retry = Self.codes("retry", table)
        dead = Self.codes("dead", table)
    }

    private static func codes(_ key: String, _ table: StrictTable) -> Set<String> {
        Set((table.texts(key) ?? []).map { $0.lowercased() })
    }

    /// The code that the answer carries, in lower case; of `CODE : a long text`, as Firebase words it, the code.
    func code(of response: InboundResponse) -> String? {
        guard let text = response.json?.firstString(at: code)?.lowercased() else { return nil }
        return text.firstRange(of: " : ").map { String(text[..<$0.lowerBound]) } ?? text
    }

    /// The server's own words, on one line; nil where it has none.
    func words(of response: InboundResponse) -> String? {
        guard let text = response.json?.firstString(at: message) else { return nil }
        let line = String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
        return line.allSatisfy(\.isWhitespace) ? nil : line
    }
}
