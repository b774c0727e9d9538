import Foundation
import HTTPTypes

extension LabLoopState {
    /// The number of wrong passwords that lock an account.
    private static let mostFailedLogIns = 5
    private static let lockDuration: TimeInterval = 2 * 3600

    /// Signs a device in. The same account and User-Agent replaces an earlier sign-in.
    mutating func logIn(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxReply {
        guard logIns.admits("", at: now) else { throw .tooManyLogIns }
        guard let body = request.object, let email = body["email"]?.text, let password = body["password"]?.text else {
            throw .validation("Email and password are required")
        }
        let account = try authenticate(email, password, at: now)
        let device = LabLoopDevice(
            account: account.id, userAgent: request.headers[.userAgent] ?? "",
            deviceID: body["deviceId"]?.text ?? request.header("x-device-id"), refreshToken: OpaqueToken.new("rt_"),
            refreshExpires: now.addingTimeInterval(TimeInterval(configuration.refreshLifetime)))
        devices.add(device)
        let tokens: JSON = [
            "accessToken": .string(accessToken(for: account, at: now)), "refreshToken": .string(device.refreshToken),
            "tokenType": "Bearer", "expiresIn": .int(expiresIn),
        ]
        return success(
            200, "Login successful",
            [
                "user": ["_id": .string(account.id), "email": .string(account.email)], "tokens": tokens,
                "expiresAt": .string(now.addingTimeInterval(TimeInterval(configuration.accessLifetime)).railsTimestamp),
                "refreshExpiresAt": .string(device.refreshExpires.railsTimestamp),
            ], at: now)
    }

    /// Rotates the refresh token in the body or, on a GET, in a header; the GET must also name the device.
    mutating func refresh(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxReply {
        let inHeader = request.line == Self.headerRefreshLine
        let given = inHeader ? request.header("x-refresh-token") : request.object?["refreshToken"]?.text
        if inHeader && request.header("x-device-id") == nil { throw .validation("x-device-id is required") }
        let (old, account) = try device(refreshToken: given, at: now)
        let new = OpaqueToken.new("rt_")
        devices.rotate(old.refreshToken, to: new, expires: now.addingTimeInterval(TimeInterval(configuration.refreshLifetime)))
        var data: JSONObject = [
            "accessToken": .string(accessToken(for: account, at: now)), "refreshToken": .string(new), "expiresIn": .int(expiresIn),
        ]
        if inHeader { data["tokenType"] = "Bearer" }
        var reply = success(200, "Token refreshed successfully", .object(data), at: now)
        // Lets clients cache this GET: reusing the cached response sends a used token.
        if inHeader { reply.response.headers[.cacheControl] = "private, max-age=3600" }
        return reply
    }

    /// The refresh token stays valid and is not in the response.
    mutating func refreshOnTheWeb(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxReply {
        let (_, account) = try device(refreshToken: request.object?["refreshToken"]?.text, at: now)
        let data: JSON = ["accessToken": .string(accessToken(for: account, at: now)), "expiresIn": .int(expiresIn)]
        return success(200, "Token refreshed successfully", configuration.emptiesWebRefresh ? [:] : data, at: now)
    }

    /// The device in the body, or all devices of the account.
    mutating func logOut(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxReply {
        let account = try signedIn(request, at: now)
        let message: String
        if request.object?["allDevices"] == true {
            devices.remove { $0.account == account.id }
            message = "All device sessions terminated"
        } else if let deviceID = request.object?["deviceId"]?.text {
            devices.remove { $0.account == account.id && $0.deviceID == deviceID }
            message = "Device session terminated"
        } else {
            throw .validation("deviceId or allDevices is required")
        }
        return success(200, "Logout successful", ["success": true, "message": .string(message)], at: now)
    }

    private mutating func authenticate(_ email: String, _ password: String, at now: Date) throws(Refusal) -> SandboxAccount {
        let wrong = Refusal(401, "UNAUTHORIZED", "Invalid email or password")
        guard let account = configuration.accounts.account(email: email) else { throw wrong }
        var failure = failures[account.id] ?? (0, nil)
        if let lockedUntil = failure.lockedUntil {
            guard lockedUntil <= now else { throw locked }
            failure = (0, nil)
        }
        guard password == account.password else {
            failure.count += 1
            if failure.count >= Self.mostFailedLogIns { failure.lockedUntil = now.addingTimeInterval(Self.lockDuration) }
            failures[account.id] = failure
            throw failure.lockedUntil == nil ? wrong : locked
        }
        failures[account.id] = nil
        return account
    }

    private var locked: Refusal {
        Refusal(
            configuration.lockedStatus, configuration.lockedStatus == 401 ? "UNAUTHORIZED" : "ACCOUNT_LOCKED",
            "Account is temporarily locked due to too many failed login attempts")
    }

    private func device(refreshToken: String?, at now: Date) throws(Refusal) -> (LabLoopDevice, SandboxAccount) {
        guard let refreshToken else { throw .validation("Refresh token is required") }
        guard let device = devices.device(refreshToken: refreshToken, at: now),
            let account = configuration.accounts.account(id: device.account)
        else { throw Refusal(401, "UNAUTHORIZED", "Invalid or expired refresh token") }
        return (device, account)
    }

    private var expiresIn: Int { configuration.statedLifetime ?? configuration.accessLifetime }

    private func accessToken(for account: SandboxAccount, at now: Date) -> String {
        signer.token(for: account, seconds: configuration.accessLifetime, at: now, ["email": .string(account.email)])
    }
}
