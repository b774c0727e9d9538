import Foundation
import JSON
import SyncModel

package struct InboundResponse: Sendable, CustomStringConvertible, CustomReflectable {
    package let status: Int
    package let headers: [HeaderField]
    package let body: Data
    /// Nil unless the content type and the body are JSON.
    package let json: JSONDocument?
    /// From the request; the server may repeat them.
    let secrets: Set<Secret>

    package init(status: Int, headers: [HeaderField] = [], body: Data = Data(), secrets: Set<Secret> = []) {
        self.status = status
        self.headers = headers
        self.body = body
        self.secrets = secrets
        json = Self.saysJSON(headers) ? JSONDocument(body) : nil
    }

    package subscript(header name: String) -> String? {
        headers.first { $0.name.isFieldName(name) }?.value
    }

    package var description: String { "\(status), \(body.count) bytes" }
    /// Hides headers and body, which may contain credentials, from dumps.
    package var customMirror: Mirror { Mirror(self, children: []) }

    package var isJSON: Bool { json != nil }
    /// HTML, by type or first byte, as from a proxy or login page.
    package var isPage: Bool {
        if isJSON { return false }
        let isHTML = self[header: "Content-Type"]?.lowercased().contains("html") == true
        return isHTML && !body.allSatisfy(\.isJSONSpace) || body.withoutByteOrderMark.first { !$0.isJSONSpace } == UInt8(ascii: "<")
    }
    package var isSuccess: Bool { (200..<300).contains(status) }

    /// On the server's clock.
    package var date: Date? { self[header: "Date"].flatMap(HTTPDate.parse) }

    /// `application/json`, or any type with the suffix `+json` (RFC 6839).
    static func saysJSON(_ headers: [HeaderField]) -> Bool {
        guard let field = headers.first(where: { $0.name.isFieldName("Content-Type") }) else { return false }
        let type = field.value.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
    }
}
