import Synchronization

/// Decides which requests the dashboard answers. Anyone on the machine can connect to a loopback port, and any website can send requests to it.
final class Doorkeeper: Sendable {
    let keys: Keys
    /// `127.0.0.1` and the port.
    let authority: String
    private let isTokenSpent = Mutex(false)

    init(keys: Keys, port: Int) {
        self.keys = keys
        authority = "127.0.0.1:\(port)"
    }

    enum Decision: Equatable, Sendable {
        case admitted
        /// The token was right: sets the cookie, and leads to the page without the token.
        case opened
        case refused(Refusal)
    }

    enum Refusal: String, Sendable {
        /// Another `Host`: a website whose name was pointed at this machine (DNS rebinding).
        case host
        /// A request that another website, or a page of another port, made.
        case site
        case path
        /// Longer than `longestAddress`.
        case address
        /// No session, or a token that was used.
        case session
        case method
        /// A form that was not sent from a page of this dashboard.
        case form

        var status: Int {
            switch self {
            case .host: 421
            case .site, .session, .form: 403
            case .path: 404
            case .address: 414
            case .method: 405
            }
        }
    }

    /// Bytes of the path with its query. The longest address of a page is below 1 KiB.
    static let longestAddress = 8 << 10

    /// Judges everything but the form, so that no body is read for a stranger.
    func admit(_ visit: Visit) -> Decision {
        guard visit.host == authority else { return .refused(.host) }
        guard visit.addressLength <= Self.longestAddress else { return .refused(.address) }
        guard ["GET", "HEAD", "POST"].contains(visit.method) else { return .refused(.method) }
        guard Keys.isEqual(visit.place, keys.place) else { return .refused(.path) }
        if visit.method == "GET", visit.path.isEmpty, let token = visit.query["token"] { return open(token, visit) }
        guard isOwn(visit) else { return .refused(.site) }
        return hasSession(visit) ? .admitted : .refused(.session)
    }

    /// True if a form came from a page of this dashboard.
    func accepts(form: [String: String]) -> Bool { Keys.isEqual(form["form"], keys.form) }

    /// The token is spent by its first use. The file that opens the browser is another site.
    private func open(_ token: String, _ visit: Visit) -> Decision {
        let isRight = Keys.isEqual(token, keys.token)
        let isFirst = isTokenSpent.withLock { isSpent in
            defer { if isRight { isSpent = true } }
            return !isSpent
        }
        return isRight && (isFirst || hasSession(visit)) ? .opened : .refused(.session)
    }

    private func hasSession(_ visit: Visit) -> Bool { Keys.isEqual(visit.cookies[Self.cookie], keys.session) }

    private func isOwn(_ visit: Visit) -> Bool {
        // Browsers send `none` for an address that the person typed.
        guard visit.fetchSite == nil || ["same-origin", "none"].contains(visit.fetchSite) else { return false }
        guard visit.method == "POST" else { return visit.origin == nil || visit.origin == "http://\(authority)" }
        return visit.origin == "http://\(authority)" && visit.contentType?.hasPrefix("application/x-www-form-urlencoded") == true
    }

    static let cookie = "homing"
    var setCookie: String { "\(Self.cookie)=\(keys.session); Path=/\(keys.place)/; HttpOnly; SameSite=Strict" }
}
