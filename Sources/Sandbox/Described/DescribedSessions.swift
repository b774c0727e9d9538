import Foundation

/// Who is signed in to a backend that only its profile describes.
struct DescribedSessions: Sendable {
    struct Session: Sendable {
        let account: SandboxAccount
        /// The access token, or the value of the session's cookie.
        var access: String
        var accessEnds: Date
        var refresh: String
        var refreshEnds: Date
    }

    private let configuration: DescribedConfiguration
    /// Whether people sign in here; otherwise they bring a token, which stays what it is.
    private let hasLogin: Bool
    /// Seconds for which a session works.
    let lifetime: Int
    private var sessions: [Session] = []
    /// Every token that was ever given out, with the account's number.
    private var owners: [String: Int] = [:]

    init(_ configuration: DescribedConfiguration) {
        self.configuration = configuration
        let auth = configuration.profile["auth"]
        hasLogin = auth?["login"] != nil
        lifetime = configuration.accessLifetime ?? auth?["lifetime"]?.number.map { Int($0) } ?? 3600
        if configuration.tokenOption == nil { return }
        for account in configuration.accounts {
            let token = DescribedConfiguration.token(of: account.number)
            let accessEnds = auth?["refresh"] == nil ? Date.distantFuture : .distantPast
            add(Session(account: account, access: token, accessEnds: accessEnds, refresh: token, refreshEnds: .distantFuture))
        }
    }

    /// Begins a session.
    mutating func begin(for account: SandboxAccount, at now: Date) -> Session {
        let session = Session(
            account: account, access: OpaqueToken.new("at_"), accessEnds: now.addingTimeInterval(TimeInterval(lifetime)),
            refresh: OpaqueToken.new("rt_"), refreshEnds: refreshEnds(at: now))
        add(session)
        return session
    }

    /// The session to which an access token or a cookie belongs; nil when it does not work.
    func session(access: String?, at now: Date) -> Session? { sessions.first { $0.access == access && $0.accessEnds > now } }

    /// Renews the session of a refresh token, of which the old tokens die at once; nil when it does not work.
    mutating func renew(refresh: String?, at now: Date) -> Session? {
        guard let place = sessions.firstIndex(where: { $0.refresh == refresh && $0.refreshEnds > now }) else { return nil }
        sessions[place].access = OpaqueToken.new("at_")
        sessions[place].accessEnds = now.addingTimeInterval(TimeInterval(lifetime))
        if hasLogin {
            sessions[place].refresh = OpaqueToken.new("rt_")
            sessions[place].refreshEnds = refreshEnds(at: now)
        }
        note(sessions[place])
        return sessions[place]
    }

    /// Ends one session, or all of its account.
    mutating func end(_ session: Session, everywhere: Bool) {
        sessions.removeAll { everywhere ? $0.account.id == session.account.id : $0.access == session.access }
    }

    /// Ends every session; without `refreshTokens` they can be renewed.
    mutating func expire(refreshTokens: Bool) {
        if refreshTokens { sessions = [] }
        for place in sessions.indices { sessions[place].accessEnds = .distantPast }
    }

    /// Whose a token is or was.
    func owner(of token: String?) -> Int? { token.flatMap { owners[$0] } }

    private mutating func add(_ session: Session) {
        sessions.append(session)
        note(session)
    }

    private mutating func note(_ session: Session) {
        owners[session.access] = session.account.number
        owners[session.refresh] = session.account.number
    }

    private func refreshEnds(at now: Date) -> Date {
        configuration.refreshLifetime.map { now.addingTimeInterval(TimeInterval($0)) } ?? .distantFuture
    }
}
