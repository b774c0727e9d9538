import Foundation
import HTTPTypes

/// A request, as far as the dashboard reads it.
struct Visit: Sendable {
    var method: String
    /// Bytes of the path with its query.
    var addressLength: Int
    /// The components of the path, without the place.
    var path: [String]
    var place: String
    var query: [String: String]
    var cookies: [String: String]
    var host: String?
    var origin: String?
    /// `Sec-Fetch-Site`: how the page that made the request relates to the dashboard.
    var fetchSite: String?
    var contentType: String?
    var languages: String?
    /// The fields of a form; empty until the body is read.
    var form: [String: String] = [:]

    init(_ head: HTTPRequest) {
        method = head.method.rawValue
        addressLength = head.path?.utf8.count ?? 0
        let (path, query) = Self.parts(head.path ?? "/")
        let components = path.split(separator: "/").map { Self.decoded(String($0), plusIsSpace: false) }
        place = components.first ?? ""
        self.path = Array(components.dropFirst())
        self.query = Self.fields(query)
        host = head.authority
        origin = head.headerFields[.origin]
        fetchSite = HTTPField.Name("Sec-Fetch-Site").flatMap { head.headerFields[$0] }
        contentType = head.headerFields[.contentType]
        languages = head.headerFields[.acceptLanguage]
        let pairs = head.headerFields[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair -> (String, String)? in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? (parts[0].trimmingCharacters(in: .whitespaces), String(parts[1])) : nil
        }
        // Browsers send the cookie with the longest path first.
        cookies = Dictionary(pairs) { first, _ in first }
    }

    private static func parts(_ path: String) -> (path: Substring, query: Substring) {
        guard let mark = path.firstIndex(of: "?") else { return (path[...], "") }
        return (path[..<mark], path[path.index(after: mark)...])
    }

    /// Reads `application/x-www-form-urlencoded`.
    static func fields(_ text: some StringProtocol) -> [String: String] {
        let pairs = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(String(parts[0]), plusIsSpace: true), parts.count == 2 ? decoded(String(parts[1]), plusIsSpace: true) : "")
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func decoded(_ text: String, plusIsSpace: Bool) -> String {
        let text = plusIsSpace ? text.replacing("+", with: " ") : text
        return text.removingPercentEncoding ?? text
    }

    /// Encodes one value of a path or a query.
    static func encoded(_ text: String) -> String {
        let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
