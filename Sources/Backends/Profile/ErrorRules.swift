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
    /// What codes of login and refresh answers mean to a person, as sentences: told in place of the server's own words.
    var sentences: [String: String] = [:]

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
        for (code, value, path) in table.map("words") {
            if let sentence = value.text {
                sentences[code.lowercased()] = sentence
            } else {
                table.log.add(
                    Mistake(file: value.file, line: value.line, key: path, found: value.summary, expected: "a sentence for a person"))
            }
        }
    }

    private static func codes(_ key: String, _ table: StrictTable) -> Set<String> {
        Set((table.texts(key) ?? []).map { $0.lowercased() })
    }

    /// The code that the answer carries, in lower case; of `CODE : a long text`, as Firebase words it, the code.
    func code(of response: InboundResponse) -> String? {
        guard let text = response.json?.firstString(at: code)?.lowercased() else { return nil }
        return text.firstRange(of: " : ").map { String(text[..<$0.lowerBound]) } ?? text
    }

    /// What a login or refresh answer says: the profile's sentence for its code, else `words`. Other answers use the same codes for other things.
    func sentence(of response: InboundResponse) -> String? { code(of: response).flatMap { sentences[$0] } ?? words(of: response) }

    /// The server's own words, on one line, without the secrets that it repeats; nil where it has none.
    func words(of response: InboundResponse) -> String? {
        guard let text = response.json?.firstString(at: message)?.hiding(response.secrets) else { return nil }
        let line = String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
        return line.allSatisfy(\.isWhitespace) ? nil : line
    }
}
