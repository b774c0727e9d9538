import Foundation

struct LabLoopState: SandboxState {
    private static let logInLine = "POST /api/mobile/auth/login"
    /// The refresh token is in the body; rotates it.
    private static let bodyRefreshLine = "POST /api/mobile/auth/refresh"
    /// The refresh with the token in a header; rotates it.
    static let headerRefreshLine = "GET /api/mobile/auth/refresh"
    /// The refresh with the token in the body; does not rotate it.
    private static let webRefreshLine = "POST /api/web/auth/refresh"

    var configuration: LabLoopConfiguration
    var signer: TokenSigner
    var devices = LabLoopDevices()
    /// Consecutive wrong passwords and the end of the lock, by account.
    var failures: [String: (count: Int, lockedUntil: Date?)] = [:]
    var logIns: RateLimit
    var appointments: [(account: String, row: JSONObject)] = []

    init(_ configuration: LabLoopConfiguration) {
        self.configuration = configuration
        signer = TokenSigner(configuration.accounts, claim: "userId")
        logIns = RateLimit(configuration.mostLogIns, per: 900)
    }

    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts {
        let refresh = request.refreshToken("refreshToken", inBodyOf: [Self.bodyRefreshLine, Self.webRefreshLine])
        return CarriedAccounts(
            session: signer.owner(of: request.bearerToken)?.number,
            remembered: configuration.accounts.account(id: refresh.flatMap(devices.owner))?.number,
            // An invalid body still counts as a sign-in attempt.
            signingIn: request.line == Self.logInLine ? request.object?["email"]?.text ?? "" : nil)
    }

    mutating func answer(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxReply {
        switch request.line {
        case Self.logInLine: try logIn(request, at: now)
        case Self.bodyRefreshLine, Self.headerRefreshLine: try refresh(request, at: now)
        case Self.webRefreshLine: try refreshOnTheWeb(request, at: now)
        case "POST /api/mobile/auth/logout": try logOut(request, at: now)
        // The web module's logout always fails.
        case "POST /api/web/auth/logout": throw .validation("Refresh token is required")
        case "GET /api/mobile/appointments": listAppointments(of: try signedIn(request, at: now), at: now)
        case "POST /api/mobile/appointments": try addAppointment(request, by: try signedIn(request, at: now), at: now)
        default: throw Refusal(404, "NOT_FOUND", "Route \(request.method):\(request.path) not found")
        }
    }

    mutating func expireSessions(rememberTokens: Bool) {
        signer.endTokens()
        if rememberTokens { devices.remove() }
    }

    func account(of request: SandboxRequest, at now: Date) -> SandboxAccount? { signer.account(of: request.bearerToken, at: now) }

    /// The account's appointments, oldest first.
    func listAppointments(of account: SandboxAccount, at now: Date) -> SandboxReply {
        let rows = appointments.filter { $0.account == account.id }.map { JSON.object($0.row) }
        return success(200, "Appointments retrieved", ["appointments": .array(rows)], at: now)
    }

    /// Stores an appointment unchanged; a repeated request stores it again.
    mutating func addAppointment(_ request: SandboxRequest, by account: SandboxAccount, at now: Date) throws(Refusal) -> SandboxReply {
        guard let document = request.object, !document.isEmpty else { throw .validation("Appointment data is required") }
        let number = appointments.count + 1
        var row = document
        row["_id"] = .string("66f0a1b2c3d4e5f7" + String(format: "%08x", number))
        row["userId"] = .string(account.id)
        row["createdAt"] = .string(now.railsTimestamp)
        appointments.append((account.id, row))
        let commit = account.commit("appointment", number, request.clientMutationID(in: document), .object(document))
        return success(201, "Appointment created successfully", .object(row), at: now, commit: commit)
    }

    /// `log-ins` is the limit per 15 minutes, null for none; `stated-lifetime` the `expiresIn` of every response, null for the real one.
    static var settings: [Setting<Self>] {
        let status = Setting(
            "locked-status", \Self.configuration.lockedStatus, expected: "423 or 401; today's server sends 401", write: { .int($0) },
            read: { json in [401, 423].first { json == .int($0) } })
        return [
            .word("error-form", \.configuration.errorForm), status, .flag("empties-web-refresh", \.configuration.emptiesWebRefresh),
            .count("log-ins", \.logIns.most), .count("stated-lifetime", \.configuration.statedLifetime),
        ]
    }
}
