import Foundation

struct LabLoopState: StandInState {
    var configuration: LabLoopConfiguration
    var signer = TokenSigner()
    var devices: LabLoopDevices
    /// Consecutive wrong passwords and the end of the lock, by account.
    var failures: [String: (count: Int, lockedUntil: Date?)] = [:]
    var logIns: RateLimit
    var appointments: [(account: String, row: JSONObject)] = []

    init(_ configuration: LabLoopConfiguration) {
        self.configuration = configuration
        devices = LabLoopDevices(most: configuration.mostDevices)
        logIns = RateLimit(configuration.mostLogIns, per: 900)
    }

    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts {
        let session = signer.open(request.bearerToken).flatMap { account(of: $0) }
        let refresh = refreshToken(in: request).flatMap(devices.owner).flatMap { configuration.accounts.account(id: $0) }
        var accounts = CarriedAccounts(session: session?.number, remembered: refresh?.number)
        // An invalid body still counts as a sign-in attempt.
        if LabLoopRoute(request) == .logIn { accounts.signingIn = request.object?["email"]?.text ?? "" }
        return accounts
    }

    mutating func answer(_ request: SandboxRequest, at now: Date) throws(Refusal) -> StandInReply {
        switch LabLoopRoute(request) {
        case .logIn: try logIn(request, at: now)
        case .refreshByBody, .refreshByHeader: try refresh(request, at: now)
        case .refreshOnTheWeb: try refreshOnTheWeb(request, at: now)
        case .logOut: try logOut(request, at: now)
        case .logOutOnTheWeb: throw .validation("Refresh token is required")
        case .appointments: listAppointments(of: try signedIn(request, at: now), at: now)
        case .addAppointment: try addAppointment(request, by: try signedIn(request, at: now), at: now)
        case nil: throw Refusal(404, "NOT_FOUND", "Route \(request.method):\(request.path) not found")
        }
    }

    mutating func expireSessions(rememberTokens: Bool) {
        signer.endTokens()
        if rememberTokens { devices.remove() }
    }

    func account(of token: SignedToken) -> SandboxAccount? { configuration.accounts.account(id: token.claims["userId"]?.text) }

    /// The refresh token from the header or, on a route that accepts it there, from the body.
    func refreshToken(in request: SandboxRequest) -> String? {
        if let token = request.header("x-refresh-token") { return token }
        return [.refreshByBody, .refreshOnTheWeb].contains(LabLoopRoute(request)) ? request.object?["refreshToken"]?.text : nil
    }

    /// The account of a request; throws the same 401 for a missing, an invalid and an expired token.
    func signedIn(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxAccount {
        guard let token = signer.open(request.bearerToken), token.works(at: now), let account = account(of: token) else {
            throw refusal(401, for: request)
        }
        return account
    }
}
