import JSON
import SyncModel

/// How a backend words its errors: the table `errors`.
struct ErrorRules: Sendable {
    var ok: JSONPointer?
    var code: [JSONPointer] = []
    var message: [JSONPointer] = []
    /// Codes of routes that mean: the session is not, or no longer, valid.
    var auth = CodeList()
    /// Codes of login and refresh answers that refuse the credentials: the person has to sign in again. Nothing else ends a session.
    var relogin = CodeList()
    /// Codes that mean: another try may succeed.
    var retry = CodeList()
    /// Codes of routes that are final for an entry: it has failed.
    var dead = CodeList()
    /// Codes of routes that are final for an entry: this account may not send it.
    var forbidden = CodeList()
    /// What codes of login and refresh answers mean to a person, as sentences: told in place of the server's own words.
    var sentences: [String: String] = [:]

    init() {}

    init(_ table: StrictTable) {
        defer { table.close() }
        ok = table.pointer("ok")
        code = table.pointers("code")
        message = table.pointers("message")
        auth = CodeList(table.texts("auth"))
        relogin = CodeList(table.texts("relogin"))
        retry = CodeList(table.texts("retry"))
        dead = CodeList(table.texts("dead"))
        forbidden = CodeList(table.texts("forbidden"))
        for (code, value, path) in table.map("words") {
            if let sentence = value.text {
                sentences[code.lowercased()] = sentence
            } else {
                table.log.add(
                    Mistake(file: value.file, line: value.line, key: path, found: value.summary, expected: "a sentence for a person"))
            }
        }
    }

    /// The code that the answer carries, in lower case.
    func code(of response: InboundResponse) -> String? { codeAsWritten(in: response)?.lowercased() }

    /// The code that the answer carries; of `CODE : a long text`, as Firebase words it, the code.
    func codeAsWritten(in response: InboundResponse) -> String? {
        guard let text = response.json?.firstString(at: code) else { return nil }
        return text.firstRange(of: " : ").map { String(text[..<$0.lowerBound]) } ?? text
    }

    /// Whether an answer to a login or a refresh refuses the credentials, and the profile or RFC 6749 5.2 declares it to mean that. Any other
    /// answer may be a gateway's.
    func refusesCredentials(_ response: InboundResponse) -> Bool {
        let standard = [response.json?.member("error")?.string, code(of: response)].contains("invalid_grant")
        return response.status < 500 && !response.isPage && (standard || declares(response, in: relogin))
    }

    /// Whether the answer of a route says that the session is not valid, and the profile declares it to mean that.
    func endsSession(_ response: InboundResponse) -> Bool {
        response.status < 500 && !response.isPage && declares(response, in: auth)
    }

    /// An answer without a code may be declared by its status.
    private func declares(_ response: InboundResponse, in codes: CodeList) -> Bool {
        codes.contains(code(of: response) ?? String(response.status))
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
