import Foundation
import HTTPTypes

struct DescribedSessions: Sendable {
    struct Session: Sendable {
        let account: SandboxAccount
        /// The access token, or the value of the session cookie.
        var access: String
        var accessEnds: Date
        var refresh: String
        var refreshEnds: Date
    }

    private let configuration: DescribedConfiguration
    /// False if people bring a token, which never changes.
    private let hasLogin: Bool
    let lifetime: Int
    private var sessions: [Session] = []
    /// The account numbers of all issued tokens.
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

    mutating func begin(for account: SandboxAccount, at now: Date) -> Session {
        let session = Session(
            account: account, access: OpaqueToken.new("at_"), accessEnds: now.addingTimeInterval(TimeInterval(lifetime)),
            refresh: OpaqueToken.new("rt_"), refreshEnds: refreshEnds(at: now))
        add(session)
        return session
    }

    /// The session of a valid access token or cookie.
    func session(access: String?, at now: Date) -> Session? { sessions.first { $0.access == access && $0.accessEnds > now } }

    /// Renews a session, and invalidates the old tokens at once; nil if the refresh token is not valid.
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

    mutating func end(_ session: Session, everywhere: Bool) {
        sessions.removeAll { everywhere ? $0.account.id == session.account.id : $0.access == session.access }
    }

    /// Expires every session; without `refreshTokens`, clients can renew them.
    mutating func expire(refreshTokens: Bool) {
        if refreshTokens { sessions = [] }
        for place in sessions.indices { sessions[place].accessEnds = .distantPast }
    }

    /// The account number of a token, valid or not.
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

extension DescribedState {
    mutating func signIn(_ call: DescribedCall, _ values: JSONObject, at now: Date) throws(Refusal) -> SandboxReply {
        guard let account = accounts.account(email: values["email"]?.text ?? accounts[0].email),
            values["password"]?.text == account.password
        else {
            throw Refusal(401, "", "wrong email or password")
        }
        let session = sessions.begin(for: account, at: now)
        var reply = give(session, call)
        // Like many servers, invalidates CSRF tokens at sign-in.
        csrfTokens = []
        if profile["auth"]?["scheme"] == "cookie" {
            reply.response.headers.append(HTTPField(name: .setCookie, value: "\(Self.cookieName)=\(session.access); path=/; httponly"))
        }
        return reply
    }

    mutating func refresh(_ call: DescribedCall, _ values: JSONObject, at now: Date) throws(Refusal) -> SandboxReply {
        guard let session = sessions.renew(refresh: values["refresh"]?.text, at: now) else {
            throw Refusal(401, profile["errors"]?["relogin"]?.elements?.first?.text ?? "", "the refresh token is not valid")
        }
        return give(session, call)
    }

    mutating func signOut(_ request: SandboxRequest, everywhere: Bool, at now: Date) throws(Refusal) -> SandboxReply {
        guard let session = sessions.session(access: credential(of: request), at: now) else { throw refusal(401, for: request) }
        sessions.end(session, everywhere: everywhere)
        return success(200)
    }

    /// Returns a session's tokens and account at the profile's pointers.
    private func give(_ session: DescribedSessions.Session, _ call: DescribedCall) -> SandboxReply {
        let table = call.table
        return success(
            200, (table["access"]?.firstPointer, .string(session.access)), (table["refresh"]?.firstPointer, .string(session.refresh)),
            (table["expires_in"]?.firstPointer, .int(sessions.lifetime)), (table["account"]?.firstPointer, id(session.account.number)),
            (table["email"]?.firstPointer, .string(session.account.email)))
    }
}
