import Foundation

/// A signed-in device, known by its account and User-Agent, with its one refresh token.
struct LabLoopDevice: Sendable {
    let account: String
    let userAgent: String
    /// What the client called the device when it signed in, for signing it out.
    let deviceID: String?
    var refreshToken: String
    var refreshExpires: Date
}

/// The signed-in devices, oldest sign-in first.
struct LabLoopDevices: Sendable {
    let most: Int
    private var devices: [LabLoopDevice] = []
    /// Tokens that no longer work, with their accounts, only to tell whose they were.
    private var formerOwners: [String: String] = [:]

    init(most: Int) { self.most = most }

    /// Signs a device in: it loses its earlier refresh token, and a sixth device costs the account its oldest.
    mutating func add(_ device: LabLoopDevice) {
        remove { $0.account == device.account && $0.userAgent == device.userAgent }
        devices.append(device)
        let mine = devices.filter { $0.account == device.account }
        for oldest in mine.prefix(max(0, mine.count - most)) { remove { $0.refreshToken == oldest.refreshToken } }
    }

    /// The device whose refresh token this is, nil when the token does not work.
    func device(refreshToken: String, at now: Date) -> LabLoopDevice? {
        devices.first { $0.refreshToken == refreshToken && $0.refreshExpires > now }
    }

    /// Replaces the refresh token of a device; the old one is dead at once.
    mutating func rotate(_ old: String, to new: String, expires: Date) {
        guard let place = devices.firstIndex(where: { $0.refreshToken == old }) else { return }
        formerOwners[old] = devices[place].account
        devices[place].refreshToken = new
        devices[place].refreshExpires = expires
    }

    /// Signs devices out.
    mutating func remove(where isMeant: (LabLoopDevice) -> Bool = { _ in true }) {
        for device in devices where isMeant(device) { formerOwners[device.refreshToken] = device.account }
        devices.removeAll(where: isMeant)
    }

    /// Whose a refresh token is or was.
    func owner(ofRefreshToken token: String) -> String? {
        devices.first { $0.refreshToken == token }?.account ?? formerOwners[token]
    }
}
