/// The initial data of a simulated BreatheSafe.
package struct BreatheSafeConfiguration: Sendable {
    package struct Account: Sendable {
        package let id: Int
        let email: String
        var isAdmin = false
        var isConfirmed = true
    }

    /// A user without a login; a manager uploads the user's measurements.
    package struct ManagedUser: Sendable {
        /// The user's identifier, the `managed_id`.
        package let user: Int
        package let manager: Int
        /// Changes to the new profile, such as `first_name`.
        let profile: JSONObject

        package init(user: Int, manager: Int = 1, profile: JSONObject = [:]) {
            self.user = user
            self.manager = manager
            self.profile = profile
        }
    }

    /// The password of every account.
    package var password = Self.labPassword
    /// In the order of `managed_users.id`, from 1.
    package var managedUsers = [ManagedUser(user: 5)]
    /// The number of masks; their identifiers start at 1.
    package var masks = 3
    /// The idle timeout of a session.
    package var sessionLifetime = Duration.seconds(30 * 60)

    /// `labAccounts`, and user 5, managed by account 1.
    package init(_ adjust: (inout Self) -> Void = { _ in }) { adjust(&self) }

    /// The default accounts with users 5 to 9 managed by 1, and user 10 managed by 2.
    package static var severalUsers: BreatheSafeConfiguration {
        BreatheSafeConfiguration { $0.managedUsers = (5...9).map { ManagedUser(user: $0) } + [ManagedUser(user: 10, manager: 2)] }
    }

    package static let labPassword = "Correct-horse-9"

    /// A manager (1), another manager (2), an admin (3) and an account with an unconfirmed email address (4).
    package static let labAccounts = [
        Account(id: 1, email: "manager@lab.test"),
        Account(id: 2, email: "other@lab.test"),
        Account(id: 3, email: "admin@lab.test", isAdmin: true),
        Account(id: 4, email: "unconfirmed@lab.test", isConfirmed: false),
    ]
}
