import Foundation
import JSON
import SyncModel

/// A complete answer.
package struct InboundResponse: Sendable, CustomStringConvertible, CustomReflectable {
    package let status: Int
    package let headers: [HeaderField]
    package let body: Data
    /// The body where the content type says JSON and it parses as JSON; nil for anything else.
    package let json: JSONDocument?
    /// What the request carried and nobody may see: a server may repeat it.
    let secrets: Set<Secret>

    package init(status: Int, headers: [HeaderField] = [], body: Data = Data(), secrets: Set<Secret> = []) {
        self.status = status
        self.headers = headers
        self.body = body
        self.secrets = secrets
        json = Self.saysJSON(headers) ? JSONDocument(body) : nil
    }

    /// The first header of that name, in any case.
    package subscript(header name: String) -> String? {
        headers.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }?.value
    }

    package var description: String { "\(status), \(body.count) bytes" }
    /// Answers hold tokens and cookies: their headers and bodies are not for dumps either.
    package var customMirror: Mirror { Mirror(self, children: []) }

    package var isJSON: Bool { json != nil }
    /// A page for people, as a proxy or a login page sends it: HTML, by its type or its first byte.
    var isPage: Bool {
        if isJSON { return false }
        let isHTML = self[header: "Content-Type"]?.lowercased().contains("html") == true
        return isHTML && !body.allSatisfy(\.isJSONSpace) || body.withoutByteOrderMark.first { !$0.isJSONSpace } == UInt8(ascii: "<")
    }
    package var isSuccess: Bool { (200..<300).contains(status) }

    /// The server's own clock, where it tells.
    var date: Date? { self[header: "Date"].flatMap(HTTPDate.parse) }

    /// `application/json`, or any type with the suffix `+json` (RFC 6839).
    private static func saysJSON(_ headers: [HeaderField]) -> Bool {
        guard let field = headers.first(where: { $0.name.caseInsensitiveCompare("Content-Type") == .orderedSame }) else { return false }
        let type = field.value.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
    }
}
