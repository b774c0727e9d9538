import HTTPTypes

/// One request with its whole body.
package struct SandboxRequest: Sendable {
    package let method: String
    /// The path as sent, without the query.
    package let path: String
    package let query: [String: String]
    package let headers: HTTPFields
    /// The Host header; redirects of the backend point to it.
    package let host: String
    package let body: [UInt8]

    package init(method: String, path: String, query: [String: String], headers: HTTPFields, host: String, body: [UInt8]) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.host = host
        self.body = body
    }

    /// The path components, not percent-decoded.
    package var segments: [String] { path.split(separator: "/").map(String.init) }

    /// The cookies by name; the first of two with the same name wins, as in Rack.
    package var cookies: [String: String] {
        var cookies: [String: String] = [:]
        for line in headers[values: .cookie] {
            for pair in line.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingSpaces() }
                guard parts.count == 2, cookies[parts[0]] == nil else { continue }
                cookies[parts[0]] = parts[1]
            }
        }
        return cookies
    }
}

extension StringProtocol {
    /// The text without leading and trailing spaces and tabs.
    func trimmingSpaces() -> String {
        let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: blank).reversed().drop(while: blank).reversed())
    }
}
