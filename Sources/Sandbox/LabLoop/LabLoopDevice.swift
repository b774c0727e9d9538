import Foundation

/// A signed-in device, identified by account and User-Agent, with one refresh token.
struct LabLoopDevice: Sendable {
    let account: String
    let userAgent: String
    /// The client's identifier of the device, used to sign it out.
    let deviceID: String?
    var refreshToken: String
    var refreshExpires: Date
}

/// The signed-in devices, oldest sign-in first.
struct LabLoopDevices: Sendable {
    /// The maximum number per account.
    private static let most = 5
    private var devices: [LabLoopDevice] = []
    /// The accounts of all issued refresh tokens.
    private var owners: [String: String] = [:]

    /// Replaces the device's earlier sign-in and, above the limit, signs out the account's oldest device.
    mutating func add(_ device: LabLoopDevice) {
        remove { $0.account == device.account && $0.userAgent == device.userAgent }
        devices.append(device)
        owners[device.refreshToken] = device.account
        for oldest in devices.filter({ $0.account == device.account }).dropLast(Self.most) {
            remove { $0.refreshToken == oldest.refreshToken }
        }
    }

    func device(refreshToken: String, at now: Date) -> LabLoopDevice? {
        devices.first { $0.refreshToken == refreshToken && $0.refreshExpires > now }
    }

    /// The old token is invalid at once.
    mutating func rotate(_ old: String, to new: String, expires: Date) {
        guard let place = devices.firstIndex(where: { $0.refreshToken == old }) else { return }
        owners[new] = devices[place].account
        devices[place].refreshToken = new
        devices[place].refreshExpires = expires
    }

    mutating func remove(where isMeant: (LabLoopDevice) -> Bool = { _ in true }) { devices.removeAll(where: isMeant) }

    /// The account of a refresh token, valid or not.
    func owner(ofRefreshToken token: String) -> String? { owners[token] }
}
