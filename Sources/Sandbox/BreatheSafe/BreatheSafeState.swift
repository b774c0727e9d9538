import Foundation

/// The tables of one simulated BreatheSafe, and its cookie key.
struct BreatheSafeState: SandboxState {
    let configuration: BreatheSafeConfiguration
    let startedAt: Date
    let cookies = SealedCookie()
    var users: [Int: BreatheSafeUser] = [:]
    var managedUsers: [BreatheSafeManagedUser] = []
    var profiles: [Int: BreatheSafeProfile] = [:]
    /// Oldest first.
    var measurements: [BreatheSafeMeasurement] = []
    var fitTests: [BreatheSafeFitTest] = []
    var masks: [BreatheSafeMask] = []
    /// The delay until a new row appears in lists.
    var listLag = Duration.zero
    /// True if a page of managed users always has 25 rows.
    var ignoresPerPage = false
    /// True if the list of managed users has an ETag.
    var tagsList = true
    private var lastIDs: [String: Int] = [:]
    private(set) var sessionGeneration = 0

    init(_ configuration: BreatheSafeConfiguration, startingAt now: Date) {
        self.configuration = configuration
        startedAt = now
        for account in BreatheSafeConfiguration.labAccounts {
            users[account.id] = BreatheSafeUser(
                id: account.id, email: Self.plainEmail(account.email), isAdmin: account.isAdmin, isConfirmed: account.isConfirmed,
                createdAt: now, updatedAt: now)
        }
        for managed in configuration.managedUsers {
            addManagedUser(managed.user, manager: managed.manager, managed.profile, at: now.addingTimeInterval(-30 * 86_400))
        }
        for _ in 0..<configuration.masks {
            let id = nextID(of: "masks")
            masks.append(BreatheSafeMask(id: id, code: "LAB-MASK-\(id)", author: nil, createdAt: now))
        }
        lastIDs["users"] = users.keys.max() ?? 0
    }

    mutating func nextID(of table: String) -> Int {
        let id = lastIDs[table, default: 0] + 1
        lastIDs[table] = id
        return id
    }

    @discardableResult
    mutating func addManagedUser(_ user: Int, manager: Int, _ changes: JSONObject = [:], at now: Date) -> BreatheSafeManagedUser {
        users[user] = BreatheSafeUser(id: user, email: "\(UUID().uuidString.lowercased())@fake.com", createdAt: now, updatedAt: now)
        profiles[user] = BreatheSafeProfile(
            id: nextID(of: "profiles"), user: user, createdAt: now, updatedAt: now, externalToken: UUID().uuidString.lowercased())
        profiles[user]?.change(changes, at: now)
        let row = BreatheSafeManagedUser(id: nextID(of: "managed_users"), manager: manager, user: user, createdAt: now)
        managedUsers.append(row)
        return row
    }

    /// True if the list lag of a row has passed.
    func isListed(_ createdAt: Date?, at now: Date) -> Bool {
        createdAt.map { now.timeIntervalSince($0) >= listLag.seconds } ?? true
    }

    mutating func expireSessions(rememberTokens: Bool) {
        sessionGeneration += 1
        guard rememberTokens else { return }
        for id in users.keys { users[id]?.rememberGeneration += 1 }
    }

    /// True if this account may read and add the user's data.
    func manages(_ manager: BreatheSafeUser, _ user: Int) -> Bool {
        manager.isAdmin || manager.id == user || managedUsers.contains { $0.manager == manager.id && $0.user == user }
    }

    /// Devise strips surrounding whitespace and ignores case.
    static func plainEmail(_ email: String) -> String { email.trimmingCharacters(in: .whitespacesAndNewlines).lowercased() }
}
