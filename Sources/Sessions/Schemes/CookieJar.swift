import Backends
import Foundation

/// The cookies of a session (RFC 6265).
struct CookieJar: Hashable, Sendable, Codable {
    /// In order of creation.
    private var cookies: [Cookie] = []

    private static let most = 50
    /// In bytes; servers refuse 8 KiB.
    private static let longestHeader = 6 << 10

    var isEmpty: Bool { cookies.isEmpty }

    /// Applies Set-Cookie fields; true on a change. With `isSignIn`, prefers these cookies when there are too many.
    mutating func absorb(_ response: InboundResponse, to request: OutboundRequest, at now: Date, isSignIn: Bool = false) -> Bool {
        let fields = response.headers.filter { $0.name.isFieldName("Set-Cookie") }
        guard !fields.isEmpty, let place = Cookie.Place(request.url) else { return false }
        let (before, date) = (self, response.date)
        for field in fields {
            guard var cookie = Cookie(field.value, from: place, date: date, now: now) else { continue }
            let index = cookies.firstIndex { cookie.replaces($0) }
            cookie.isFromSignIn = isSignIn || index.map { cookies[$0].isFromSignIn } ?? false
            switch index {
            case let index? where cookie.hasExpired(at: now): cookies.remove(at: index)
            case let index?: cookies[index] = cookie
            case nil where !cookie.hasExpired(at: now): cookies.append(cookie)
            case nil: break
            }
        }
        while cookies.count > Self.most { cookies.remove(at: leastNeeded(of: cookies.indices) ?? 0) }
        return self != before
    }

    /// Nil without a match.
    func header(for url: String, at now: Date) -> String? {
        guard !isEmpty, let place = Cookie.Place(url) else { return nil }
        var indices = cookies.indices.filter { cookies[$0].matches(place, at: now) }
        while indices.reduce(0, { $0 + cookies[$1].length }) > Self.longestHeader, let index = leastNeeded(of: indices) {
            indices.removeAll { $0 == index }
        }
        // Longer paths first, then older cookies (RFC 6265 5.4).
        let sorted = indices.sorted { (-cookies[$0].path.utf8.count, $0) < (-cookies[$1].path.utf8.count, $1) }.map { cookies[$0] }
        return sorted.isEmpty ? nil : sorted.map { "\($0.name)=\($0.value.revealed)" }.joined(separator: "; ")
    }

    /// Shorter values are settings; hiding them would garble messages.
    var secrets: [Secret] { cookies.map(\.value).filter { $0.revealed.utf8.count >= 8 } }

    /// The oldest cookie not set by a sign-in, or the oldest.
    private func leastNeeded(of indices: some Sequence<Int>) -> Int? {
        indices.min { (cookies[$0].isFromSignIn ? 1 : 0, $0) < (cookies[$1].isFromSignIn ? 1 : 0, $1) }
    }
}
