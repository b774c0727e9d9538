/// What is in an imitated BreatheSafe when it starts.
package struct BreatheSafeConfiguration: Sendable {
    /// Somebody who can sign in.
    package struct Account: Sendable, Equatable {
        package var id: Int
        package var email: String
        package var isAdmin: Bool
        package var isConfirmed: Bool

        package init(id: Int, email: String, isAdmin: Bool = false, isConfirmed: Bool = true) {
            self.id = id
            self.email = email
            self.isAdmin = isAdmin
            self.isConfirmed = isConfirmed
        }
    }

    /// A user without a login, whose measurements a manager uploads.
    package struct ManagedUser: Sendable, Equatable {
        /// The user's own identifier, the `managed_id`.
        package var user: Int
        /// The account that manages them.
        package var manager: Int

        package init(user: Int, manager: Int = 1) {
            self.user = user
            self.manager = manager
        }
    }

    /// Who can sign in.
    package var accounts: [Account]
    /// The password of every account.
    package var password: String
    /// In the order of their `managed_users.id`, from 1.
    package var managedUsers: [ManagedUser]
    /// How many masks there are, with the identifiers 1 to this.
    package var masks: Int
    /// How long a session may be idle.
    package var sessionLifetime: Duration
    /// How long a remember token works.
    package var rememberLifetime: Duration

    /// The accounts 1 (manager), 2 (another manager), 3 (admin) and 4 (unconfirmed), and user 5, whom 1 manages.
    package init(
        accounts: [Account] = Self.labAccounts, password: String = Self.labPassword,
        managedUsers: [ManagedUser] = [ManagedUser(user: 5)], masks: Int = 3, sessionLifetime: Duration = .seconds(30 * 60),
        rememberLifetime: Duration = .seconds(14 * 24 * 3600)
    ) {
        self.accounts = accounts
        self.password = password
        self.managedUsers = managedUsers
        self.masks = masks
        self.sessionLifetime = sessionLifetime
        self.rememberLifetime = rememberLifetime
    }

    /// The usual accounts with users 5 to 9 managed by 1, and user 10 managed by 2.
    package static var severalUsers: BreatheSafeConfiguration {
        BreatheSafeConfiguration(managedUsers: (5...9).map { ManagedUser(user: $0) } + [ManagedUser(user: 10, manager: 2)])
    }

    /// The password of the usual accounts.
    package static let labPassword = "Correct-horse-9"

    /// A manager (1), another manager (2), an admin (3) and an account whose e-mail is not confirmed (4).
    package static let labAccounts = [
        Account(id: 1, email: "manager@lab.test"),
        Account(id: 2, email: "other@lab.test"),
        Account(id: 3, email: "admin@lab.test", isAdmin: true),
        Account(id: 4, email: "unconfirmed@lab.test", isConfirmed: false),
    ]
}
