import Foundation
import HTTPTypes

extension DescribedState {
    mutating func signIn(_ call: DescribedCall, _ values: JSONObject, at now: Date) throws(Refusal) -> StandInReply {
        guard let account = accounts.account(email: values["email"]?.text ?? accounts[0].email),
            values["password"]?.text == account.password
        else {
            throw Refusal(401, "", "wrong e-mail or password")
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

    mutating func refresh(_ call: DescribedCall, _ values: JSONObject, at now: Date) throws(Refusal) -> StandInReply {
        guard let session = sessions.renew(refresh: values["refresh"]?.text, at: now) else {
            throw Refusal(401, profile["errors"]?["relogin"]?.elements?.first?.text ?? "", "the refresh token is not valid")
        }
        return give(session, call)
    }

    mutating func signOut(_ request: SandboxRequest, everywhere: Bool, at now: Date) throws(Refusal) -> StandInReply {
        guard let session = sessions.session(access: credential(of: request), at: now) else { throw refusal(401, for: request) }
        sessions.end(session, everywhere: everywhere)
        return success(200)
    }

    /// Returns a session's tokens and account at the profile's pointers.
    private func give(_ session: DescribedSessions.Session, _ call: DescribedCall) -> StandInReply {
        let table = call.table
        return success(
            200, (table["access"]?.firstPointer, .string(session.access)), (table["refresh"]?.firstPointer, .string(session.refresh)),
            (table["expires_in"]?.firstPointer, .int(sessions.lifetime)), (table["account"]?.firstPointer, id(session.account.number)),
            (table["email"]?.firstPointer, .string(session.account.email)))
    }
}
