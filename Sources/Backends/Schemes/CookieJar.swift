import AsyncHTTPClient
import Foundation

/// The cookies of one origin. It alone gets them, so a cookie's Domain and Secure have nothing to say.
struct CookieJar: Hashable, Sendable, Codable {
    private var cookies: [Cookie] = []

    struct Cookie: Hashable, Sendable, Codable {
        let name: String
        let path: String
        let value: Secret
    }

    var isEmpty: Bool { cookies.isEmpty }

    /// Takes over what an answer sets and deletes; true where that changed anything.
    ///
    /// Only the server deletes: a Max-Age of 0, or an Expires that lies in the past by the answer's own Date. Our clock expires nothing.
    mutating func absorb(_ response: InboundResponse) -> Bool {
        let before = self
        for field in response.headers where field.name.caseInsensitiveCompare("Set-Cookie") == .orderedSame {
            guard let cookie = HTTPClient.Cookie(header: field.value, defaultDomain: "") else { continue }
            let index = cookies.firstIndex { $0.name == cookie.name && $0.path == cookie.path }
            if Self.isDeletion(cookie, by: response.date) {
                if let index { cookies.remove(at: index) }
            } else if let index {
                cookies[index] = Cookie(name: cookie.name, path: cookie.path, value: Secret(cookie.value))
            } else {
                cookies.append(Cookie(name: cookie.name, path: cookie.path, value: Secret(cookie.value)))
            }
        }
        return self != before
    }

    /// The value of the Cookie header for a request to `path`; nil where no cookie matches (RFC 6265 5.4).
    func header(path: String) -> String? {
        let matching = cookies.filter { Self.matches(path, $0.path) }.sorted { $0.path.count > $1.path.count }
        return matching.isEmpty ? nil : matching.map { "\($0.name)=\($0.value.revealed)" }.joined(separator: "; ")
    }

    /// The values that prove anything: a mere setting is shorter, and hiding it would only tear holes into sentences.
    var secrets: [Secret] { cookies.map(\.value).filter { $0.revealed.utf8.count >= 8 } }

    private static func isDeletion(_ cookie: HTTPClient.Cookie, by serverDate: Date?) -> Bool {
        if let age = cookie.maxAge { return age <= 0 }
        // Without the server's date only the classic "long ago" counts as a deletion.
        guard let expires = cookie.expires else { return false }
        return expires <= serverDate ?? Date(timeIntervalSince1970: 86_400)
    }

    private static func matches(_ path: String, _ cookiePath: String) -> Bool {
        path == cookiePath || (path.hasPrefix(cookiePath) && (cookiePath.hasSuffix("/") || path.dropFirst(cookiePath.count).first == "/"))
    }
}
