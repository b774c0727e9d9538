import Foundation
import HTTPTypes

extension BreatheSafeState {
    /// The 19th failed attempt gets a warning; the 20th locks the account.
    private static let mostFailedLogIns = 20
    private static let lockDuration: TimeInterval = 3600
    private static let rememberLifetime: TimeInterval = 14 * 24 * 3600

    /// Signs in. An existing session ignores the password.
    mutating func logIn(_ visit: inout BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        if let user = visit.user { return signedIn(user, visit) }
        let given = visit.parameters["user"]
        guard let address = given?["email"], !address.isBlank else {
            return try refused("You need to sign in or sign up before continuing.", visit)
        }
        let password = given?["password"]?.text
        let email = address.text.map(Self.plainEmail)
        guard let password, let id = users.values.first(where: { $0.email == email })?.id, var user = users[id] else {
            return try refused("Invalid Email or password.", visit)
        }
        if let lockedAt = user.lockedAt, visit.now.timeIntervalSince(lockedAt) > Self.lockDuration {
            user.lockedAt = nil
            user.failedLogIns = 0
        }
        guard user.lockedAt == nil, password == configuration.password else {
            let message = countFailure(of: &user, at: visit.now)
            users[id] = user
            return try refused(message, visit)
        }
        guard user.isConfirmed else {
            return try refused("You have to confirm your email address before continuing.", visit, cookies: .both)
        }
        user.failedLogIns = 0
        user.updatedAt = visit.now
        users[id] = user
        visit.user = user
        visit.losesCSRFSecret = true
        if ["1", "true"].contains(given?["remember_me"]?.text) || given?["remember_me"] == true || given?["remember_me"] == 1 {
            let expires = visit.now.addingTimeInterval(Self.rememberLifetime)
            visit.rememberToken = .set(RememberCookie(user: id, expires: expires, generation: user.rememberGeneration))
        }
        return signedIn(user, visit)
    }

    /// Signs out. A request that does not accept JSON only gets a redirect and stays signed in.
    mutating func logOut(_ visit: inout BreatheSafeVisit) -> BreatheSafeReply {
        guard let user = visit.user else { return .json(200, ["updateSignedIn": false]) }
        guard visit.format == .json else { return .redirect(to: "/", of: visit.request.host, cookies: .sessionOnly) }
        visit.user = nil
        visit.losesCSRFSecret = true
        if visit.request.cookies[Self.rememberCookieName] != nil {
            visit.rememberToken = .clear
            users[user.id]?.rememberGeneration += 1
        }
        return .json(200, ["updateSignedIn": true])
    }

    /// The signed-in user; 200 with null if there is none.
    func currentUser(_ visit: BreatheSafeVisit) -> BreatheSafeReply {
        let version: JSON = "2025-12-13T00:00:00Z"
        return .json(
            200,
            [
                "currentUser": visit.user?.json ?? .null, "consentFormVersion": version, "disclaimerVersion": version,
                "termsOfServiceVersion": version, "privacyPolicyVersion": version,
            ])
    }

    func csrfToken(_ visit: inout BreatheSafeVisit) -> BreatheSafeReply {
        let secret = visit.csrfSecret ?? CSRFToken.secret()
        visit.csrfSecret = secret
        return .json(200, ["csrf_token": .string(CSRFToken.masked(secret))])
    }

    private func signedIn(_ user: BreatheSafeUser, _ visit: BreatheSafeVisit) -> BreatheSafeReply {
        guard visit.format == .json else { return .redirect(to: "/", of: visit.request.host) }
        var reply = BreatheSafeReply.json(201, user.json)
        reply.response.headers[.location] = "/"
        return reply
    }

    private func refused(
        _ message: String, _ visit: BreatheSafeVisit, cookies: BreatheSafeReply.Cookies = .csrfOnly
    ) throws(RailsException) -> BreatheSafeReply {
        guard visit.format == .json else { throw .unprocessable }
        return .json(401, ["error": .string(message)], cookies: cookies)
    }

    private func countFailure(of user: inout BreatheSafeUser, at now: Date) -> String {
        user.failedLogIns += 1
        if user.lockedAt == nil && user.failedLogIns >= Self.mostFailedLogIns { user.lockedAt = now }
        if user.lockedAt != nil { return "Your account is locked." }
        return user.failedLogIns == Self.mostFailedLogIns - 1
            ? "You have one more attempt before your account is locked." : "Invalid Email or password."
    }
}
