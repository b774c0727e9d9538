import Foundation

/// The cookies of a session (RFC 6265).
struct CookieJar: Hashable, Sendable, Codable {
    /// By their creation.
    private var cookies: [Cookie] = []

    /// More are not kept.
    private static let most = 50
    /// A Cookie header is not made longer, in bytes: servers refuse one of 8 KiB.
    private static let longestHeader = 6 << 10

    var isEmpty: Bool { cookies.isEmpty }

    /// Takes over what the answer to `request` sets and deletes; true where that changed anything.
    ///
    /// - Parameter isSignIn: it answers a sign-in, so that its cookies go before later ones where there are too many.
    mutating func absorb(_ response: InboundResponse, to request: OutboundRequest, at now: Date, isSignIn: Bool = false) -> Bool {
        guard let url = URLComponents(string: request.url) else { return false }
        let before = self
        for field in response.headers where field.name.caseInsensitiveCompare("Set-Cookie") == .orderedSame {
            guard var cookie = Cookie(field.value, from: url, date: response.date, now: now) else { continue }
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

    /// The value of the Cookie header for a request to `url`; nil where no cookie matches.
    func header(for url: String, at now: Date) -> String? {
        guard let url = URLComponents(string: url) else { return nil }
        var indices = cookies.indices.filter { cookies[$0].matches(url, at: now) }
        while indices.reduce(0, { $0 + cookies[$1].length }) > Self.longestHeader, let index = leastNeeded(of: indices) {
            indices.removeAll { $0 == index }
        }
        // Longer paths first, then the older ones.
        let sorted = indices.sorted { (-cookies[$0].path.utf8.count, $0) < (-cookies[$1].path.utf8.count, $1) }.map { cookies[$0] }
        return sorted.isEmpty ? nil : sorted.map { "\($0.name)=\($0.value.revealed)" }.joined(separator: "; ")
    }

    /// The values that prove anything: a mere setting is shorter, and hiding it would only tear holes into sentences.
    var secrets: [Secret] { cookies.map(\.value).filter { $0.revealed.utf8.count >= 8 } }

    /// The oldest that no sign-in has set, or else the oldest.
    private func leastNeeded(of indices: some Sequence<Int>) -> Int? {
        indices.min { (cookies[$0].isFromSignIn ? 1 : 0, $0) < (cookies[$1].isFromSignIn ? 1 : 0, $1) }
    }
}
