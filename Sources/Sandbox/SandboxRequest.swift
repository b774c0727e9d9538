import HTTPTypes

/// One request as a stand-in sees it, with its whole body.
package struct SandboxRequest: Sendable {
    package let method: String
    /// The path without the query, as it was sent.
    package let path: String
    package let query: [String: String]
    package let headers: HTTPFields
    /// The value of the Host header, which is also where redirects of the backend point to.
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

    /// The parts of the path between the slashes.
    package var segments: [String] { path.split(separator: "/").map(String.init) }

    /// The cookies by name; of two with one name the first wins, as in Rack.
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
    /// The text without spaces and tabs at its ends.
    func trimmingSpaces() -> String {
        let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: blank).reversed().drop(while: blank).reversed())
    }
}
