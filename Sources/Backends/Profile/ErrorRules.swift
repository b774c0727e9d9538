import JSON
import SyncModel

/// The table `errors`.
package struct ErrorRules: Sendable {
    var ok: JSONPointer?
    var code: [JSONPointer] = []
    var message: [JSONPointer] = []
    /// Route codes: the session is invalid or expired.
    var auth = CodeList()
    /// Login and refresh codes: a person must sign in again. Nothing else ends a session.
    var relogin = CodeList()
    var retry = CodeList()
    /// Route codes: the entry has failed for good.
    var dead = CodeList()
    /// Route codes: not allowed for this account.
    var forbidden = CodeList()
    /// By login or refresh code; replaces the server's message.
    package var sentences: [String: String] = [:]

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
                table.mistakes.add(at: value, key: path, expected: "a sentence for a person")
            }
        }
    }

    package func code(of response: InboundResponse) -> String? { codeAsWritten(in: response)?.lowercased() }

    /// Firebase sends `CODE : a long text`; returns the code.
    func codeAsWritten(in response: InboundResponse) -> String? {
        guard let text = response.json?.firstString(at: code) else { return nil }
        return text.firstRange(of: " : ").map { String(text[..<$0.lowerBound]) } ?? text
    }

    /// True when the profile declares that this code allows a retry.
    package func allowsRetry(_ code: String?) -> Bool { code.map(retry.contains) == true }

    /// True for a refusal that the profile or RFC 6749 5.2 declares. Other answers may be a gateway's.
    package func refusesCredentials(_ response: InboundResponse) -> Bool {
        let standard = [response.json?.member("error")?.string, code(of: response)].contains("invalid_grant")
        return response.status < 500 && !response.isPage && (standard || declares(response, in: relogin))
    }

    /// True when a route's answer means an invalid session, as declared by the profile.
    package func endsSession(_ response: InboundResponse) -> Bool {
        response.status < 500 && !response.isPage && declares(response, in: auth)
    }

    /// An answer without a code is matched by its status.
    private func declares(_ response: InboundResponse, in codes: CodeList) -> Bool {
        codes.contains(code(of: response) ?? String(response.status))
    }

    /// The sentence from `words` for a login or refresh answer. Other answers use the same codes differently.
    package func sentence(of response: InboundResponse) -> String? { code(of: response).flatMap { sentences[$0] } ?? words(of: response) }

    /// The server's message on one line, without secrets.
    package func words(of response: InboundResponse) -> String? {
        guard let text = response.json?.firstString(at: message)?.hiding(response.secrets) else { return nil }
        let line = String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
        return line.allSatisfy(\.isWhitespace) ? nil : line
    }
}
