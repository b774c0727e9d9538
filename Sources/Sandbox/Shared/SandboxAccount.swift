/// Somebody who can sign in to a backend whose identifiers are text.
package struct SandboxAccount: Sendable, Equatable {
    /// The identifier that the backend gives the account.
    package var id: String
    /// The number under which the ledger and the faults know the account, from 1.
    package var number: Int
    package var email: String
    package var password: String

    package init(id: String, number: Int, email: String, password: String = BreatheSafeConfiguration.labPassword) {
        self.id = id
        self.number = number
        self.email = email
        self.password = password
    }

    /// The accounts manager@lab.test (1) and other@lab.test (2) with these identifiers and the password of the lab.
    package static func lab(_ manager: String, _ other: String) -> [SandboxAccount] {
        [SandboxAccount(id: manager, number: 1, email: "manager@lab.test"), SandboxAccount(id: other, number: 2, email: "other@lab.test")]
    }
}

extension [SandboxAccount] {
    func account(id: String?) -> SandboxAccount? { id.flatMap { id in first { $0.id == id } } }

    /// E-mail addresses are compared without case.
    func account(email: String?) -> SandboxAccount? {
        email.flatMap { email in first { $0.email.lowercased() == email.lowercased() } }
    }
}
